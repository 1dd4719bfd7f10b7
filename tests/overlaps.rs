//! What the host code says of pointers that are given to one kernel: which may be one. [HOST-OVERLAP]

use std::path::PathBuf;

use faial_like::check::schedule::{Settings, check_files, solver_settings};
use faial_like::report::finding::Verdict;

const KERNEL: &str = "struct P { float *a; float *b; int n; };
__global__ void k(float *a, const float *b, int n) { int t = threadIdx.x; if (t < n) a[t] = b[t + 1]; }
__global__ void k2(P p) { int t = threadIdx.x; p.a[t] = p.b[t + 1]; }
__global__ void k3(P p, P q) { int t = threadIdx.x; p.a[t] = q.a[t + 1]; }
";

/// The verdict for the kernel that the host launches.
fn verdict(host: &str) -> Verdict {
    let file = (PathBuf::from("host.cu"), format!("{KERNEL}{host}\n"));
    let report = check_files(&[file], &Settings { jobs: 1, ..Settings::default() }, &solver_settings());
    let name = ["k2", "k3"].into_iter().find(|k| host.contains(&format!("{k}<<<"))).unwrap_or("k");
    report.kernels.iter().find(|k| k.name == name).expect("a kernel").verdict
}

#[test]
fn pointers_that_are_surely_one_are_one_array() {
    for host in [
        "void f(float *x, int n) { float *q = x; q--; k<<<1, 64>>>(q, x, n); }",
        "void f(float *x, int n) { auto &q = x; k<<<1, 64>>>(q, x, n); }",
        "void f(float *x, int n) { float **p = &x; k<<<1, 64>>>(*p, x, n); }",
        "void f(float *x, int n) { k<<<1, 64>>>(&*x, &x[1], n); }",
        "void f(float *x, int n) { float *b[2] = {x, x}; k<<<1, 64>>>(b[0], b[1], n); }",
        "struct S { float *x; void f(int n) { k<<<1, 64>>>(this->x, x, n); } };",
        "void f(float *x, int n) { P p{x, x, n}; k2<<<1, 64>>>(p); }",
        "void f(float *x, int n) { P p; p.a = x; p.b = x; k2<<<1, 64>>>(p); }",
        "void f(float *x, int n) { k2<<<1, 64>>>(P{x, x, n}); }",
        "void f(P p) { k3<<<1, 64>>>(p, p); }",
        "struct S { P p; void f() { k3<<<1, 64>>>(p, p); } };",
    ] {
        assert_eq!(verdict(host), Verdict::Racy, "{host}");
    }
}

#[test]
fn pointers_into_one_array_are_as_far_apart_as_the_host_says() {
    let shifted = "void f(float *x, int n) { float *q = x; q++; k<<<1, 64>>>(q, x, n); }";
    assert_eq!(verdict(shifted), Verdict::RaceFree, "each thread reads what it writes");
    // So it is with fields.
    let fields = "void f(float *x, int n) { P p = {.a = x, .b = x + 1, .n = n}; k2<<<1, 64>>>(p); }";
    assert_eq!(verdict(fields), Verdict::Racy);
}

/// Where no condition says how far two pointers are apart, a race that rests on it is not confirmed.
#[test]
fn a_distance_that_not_all_launches_say_is_not_known() {
    let far = |n: usize| format!("k<<<1, 64>>>(x, x + 70, {n});");
    let few = (40..44).map(far).collect::<String>();
    assert_eq!(verdict(&format!("void f(float *x) {{ {few} }}")), Verdict::RaceFree);
    let many = (40..52).map(far).collect::<String>();
    assert_eq!(verdict(&format!("void f(float *x) {{ {many} }}")), Verdict::RaceFree);
    let many = (25..64).map(far).collect::<String>();
    assert_eq!(verdict(&format!("void f(float *x) {{ {many} }}")), Verdict::Inconclusive, "more than are told apart");
    let near = "k<<<1, 64>>>(x, x + 3, 64);";
    assert_eq!(verdict(&format!("void f(float *x) {{ {few} {near} }}")), Verdict::Racy, "the last launch races");
    let once = "void f(float *x, float *y, int c) { k<<<1, 64>>>(x, x + 70, 64); k<<<1, 64>>>(x, y, 64); }";
    assert_eq!(verdict(once), Verdict::Inconclusive, "one launch says nothing");
}

#[test]
fn pointers_that_may_be_one_are_not_taken_for_two() {
    for host in [
        "struct S { float *x, *y; }; void f(S &s, int n) { s.x = s.y; k<<<1, 64>>>(s.x, s.y, n); }",
        "void f(float *x, float *y, int c, int n) { float *u = c ? x : y; k<<<1, 64>>>(u, x, n); }",
        "void f(float *x, float *y, int c, int n) { k<<<1, 64>>>(x, c ? x : y, n); }",
        "void f(float *x, float *y, int c, int n) { float *u = y; if (c) u = x; k<<<1, 64>>>(u, x, n); }",
        "void f(float *x, float *y, int c, int n) { float *u = y; switch (c) { case 1: u = x; } k<<<1, 64>>>(u, x, n); }",
        "void f(float *x, float *y, int n) { for (int i = 0; i < n; i++) { k<<<1, 64>>>(y, x, n); y = x; } }",
        "void f(float *x, float *y, int c, int n) { auto u = c ? x : y; auto g = [&] { k<<<1, 64>>>(u, x, n); }; g(); }",
        "void g(float *a, const float *b, int n) { k<<<1, 64>>>(a, b, n); } void f(float *x, int n) { g(x, x, n); }",
        "float *dev(int); void f(int n) { k<<<1, 64>>>(dev(0), dev(0), n); }",
        "void f(torch::Tensor x, int n) { auto y = x; k<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n); }",
        "void f(float *x, int n) { float *b[2] = {x, x}; for (int i = 0; i < n; i++) k<<<1, 64>>>(b[i & 1], b[1 - i], n); }",
        "void f(float *x, float *y, int c, int n) { P p{x, c ? x : y, n}; k2<<<1, 64>>>(p); }",
    ] {
        assert!(matches!(verdict(host), Verdict::Inconclusive | Verdict::Racy), "{host}");
    }
}

/// What a function returns may be a pointer into what it is given, or into what its object has.
#[test]
fn pointers_that_functions_return_are_not_taken_for_two() {
    for host in [
        "float *at(float *p, int i) { return p + i; } void f(float *x, int n) { k<<<1, 64>>>(at(x, 0), at(x, 1), n); }",
        "float *at(float *p, int i) { return &p[i]; } void f(float *x, int n) { k<<<1, 64>>>(at(x, 1), x, n); }",
        "float *at(float *p, int i) { float *q = p; q += i; return q; } void f(float *x, int n) { k<<<1, 64>>>(at(x, 1), x, n); }",
        "float *at(float *p, size_t b) { return (float *)((char *)p + b); } void f(float *x, int n) { k<<<1, 64>>>(at(x, 4), x, n); }",
        "float *at(P &p, int i) { return p.a + i; } void f(P &p, int n) { k<<<1, 64>>>(at(p, 1), p.a, n); }",
        "struct S { float *b; float *at(int i) { return b + i; } void f(int n) { k<<<1, 64>>>(at(0), at(1), n); } };",
        "struct S { float *b; float *at(int i = 0) { return b + i; } }; void f(S &s, int n) { k<<<1, 64>>>(s.at(), s.at(1), n); }",
        "struct S { float *b; float *all() { return b; } float *rest() { return b + 1; } }; void f(S &s, int n) { k<<<1, 64>>>(s.all(), s.rest(), n); }",
        "void f(float *x, int n) { auto at = [&](int i) { return x + i; }; k<<<1, 64>>>(at(0), at(1), n); }",
        "P rest(P p, int i) { return P{p.a + i, p.b + i, p.n - i}; } void f(P p) { k3<<<1, 64>>>(p, rest(p, 1)); }",
        "void f(P p) { P q = p; k3<<<1, 64>>>(p, q); }",
        "void f(float *x, int n) { k3<<<1, 64>>>(P(x, n), P(x + 1, n)); }",
        "P rest(P p, int i) { P q = p; q.a += i; return q; } void f(P p) { P q = rest(p, 1); k3<<<1, 64>>>(p, q); }",
    ] {
        assert!(matches!(verdict(host), Verdict::Inconclusive | Verdict::Racy), "{host}");
    }
    for host in [
        "float *at(float *p, int i) { return p + i; } void f(float *x, float *y, int i, int n) { k<<<1, 64>>>(at(x, i), at(y, i), n); }",
        "struct S { float *b, *c; int o; float *x() { return b + o; } float *y() { return c + o; } void f(int n) { k<<<1, 64>>>(x(), y(), n); } };",
        "void f(float *x, float *y, int o, int n) { auto at = [&](float *p) { return p + o; }; k<<<1, 64>>>(at(x), at(y), n); }",
        "void f(P p, P q) { k3<<<1, 64>>>(p, q); }",
    ] {
        assert_eq!(verdict(host), Verdict::RaceFree, "{host}");
    }
}

/// Members and variables of the unit may be one array by what another function does. [HOST-ELSEWHERE]
#[test]
fn pointers_that_another_function_makes_one_are_not_taken_for_two() {
    for host in [
        "float *w, *g; void init(int n) { cudaMalloc(&w, n); g = w + 1; } void f(int n) { k<<<1, 64>>>(w, g, n); }",
        "struct S { float *w, *g; S(int n) { cudaMalloc(&w, n); g = w + n; } void f(int n) { k<<<1, 64>>>(w, g, n); } };",
        "struct S { float *w, *g; S(float *x, int n) : w(x), g(x + n) {} void f(int n) { k<<<1, 64>>>(w, g, n); } };",
        "struct S { float *w, *g; void f(int n); S(float *x, int n); }; S::S(float *x, int n) { w = x; g = x + n; }
            void S::f(int n) { k<<<1, 64>>>(w, g, n); }",
        "struct S { float *w, *g; }; void init(S &s, float *x) { s.w = x; s.g = x + 1; } void f(S &s, int n) { k<<<1, 64>>>(s.w, s.g, n); }",
        "void init(P *p, int n) { float *x; cudaMalloc(&x, n); p->a = x; p->b = x + 1; } void f(int n) { P p; init(&p, n); k2<<<1, 64>>>(p); }",
        "P make(float *x) { P p; p.a = x; p.b = x + 1; return p; } void f(float *x) { P p = make(x); k2<<<1, 64>>>(p); }",
    ] {
        assert!(matches!(verdict(host), Verdict::Inconclusive | Verdict::Racy), "{host}");
    }
    for host in [
        "float *w, *g; void init(int n) { cudaMalloc(&w, n); cudaMalloc(&g, n); } void f(int n) { k<<<1, 64>>>(w, g, n); }",
        "struct S { float *w, *g; S(int n) : w(nullptr), g(nullptr) {} void f(int n) { k<<<1, 64>>>(w, g, n); } void drop() { w = g = nullptr; } };",
        "struct S { float *w, *g; void flip() { float *t = w; w = g; g = t; } void f(int n) { k<<<1, 64>>>(w, g, n); flip(); } };",
        "struct S { float *w, *g; void flip() { std::swap(w, g); } void f(int n) { k<<<1, 64>>>(w, g, n); flip(); } };",
        "struct S { float *w, *g; S(float *x, float *y) : w(x), g(y) {} void f(int n) { k<<<1, 64>>>(w, g, n); } };",
    ] {
        assert_eq!(verdict(host), Verdict::RaceFree, "{host}");
    }
}

/// No two of these are one, however often they change places.
#[test]
fn pointers_that_change_places_stay_apart() {
    for host in [
        "void f(float *x, float *y, int n) { for (int i = 0; i < n; i++) { k<<<1, 64>>>(y, x, n); float *t = x; x = y; y = t; } }",
        "void f(float *x, float *y, int n) { for (int i = 0; i < n; i++) { k<<<1, 64>>>(y, x, n); std::swap(x, y); } }",
        "void f(float *x, float *y, int n) { float *u, *v; for (int i = 0; i < n; i++) { if (i & 1) { u = x; v = y; } else { u = y; v = x; }
            k<<<1, 64>>>(u, v, n); } }",
        "void f(float *x, float *y, int n) { float *b[2] = {x, y}; for (int i = 0; i < n; i++) k<<<1, 64>>>(b[i & 1], b[(i + 1) & 1], n); }",
        "void f(float *x, float *y, int c, int n) { float *u = y; if (c) { u = x; return; } k<<<1, 64>>>(u, x, n); }",
        "void f(int n) { device_vector<float> v(n); device_vector<float> w = v; k<<<1, 64>>>(v.data(), w.data(), n); }",
        "void f(int n) { P p; cudaMalloc(&p.a, n); cudaMalloc(&p.b, n); p.n = n; k2<<<1, 64>>>(p); }",
        "void f(float *x, float *y, int n) { P p{x, y, n}; k2<<<1, 64>>>(p); }",
    ] {
        assert_eq!(verdict(host), Verdict::RaceFree, "{host}");
    }
}

/// A class that is made of pointers may keep them, however its constructor is called.
#[test]
fn views_of_one_array_are_not_taken_for_two() {
    const PLAIN: &str = "struct View { float *p; int n; __host__ __device__ View(float *q, int m) : p(q), n(m) {} };
__global__ void k4(View a, View b) { int t = threadIdx.x; a.p[t] = b.p[t + 1]; }
";
    const OF_TYPES: &str =
        "template <class T> struct View { T *p; int n; __host__ __device__ View(T *q, int m) : p(q), n(m) {} };
__global__ void k4(View<float> a, View<float> b) { int t = threadIdx.x; a.p[t] = b.p[t + 1]; }
";
    let verdict = |text: &str, host: &str| {
        let file = (PathBuf::from("views.cu"), format!("{text}void f(float *x, float *y, int n) {{ {host} }}\n"));
        let report = check_files(&[file], &Settings { jobs: 1, ..Settings::default() }, &solver_settings());
        report.kernels[0].verdict
    };
    for (text, view) in [(PLAIN, "View"), (OF_TYPES, "View<float>")] {
        for host in [
            "V a(x, n); V b(Y, n); k4<<<1, 64>>>(a, b);",
            "V a(x, n), b(Y, n); k4<<<1, 64>>>(a, b);",
            "V a(x, 64), b(Y, 64); k4<<<1, 64>>>(a, b);",
            "V a{x, n}; V b{Y, n}; k4<<<1, 64>>>(a, b);",
            "k4<<<1, 64>>>(V(x, n), V(Y, n));",
        ] {
            let host = host.replace("V", view);
            assert_ne!(verdict(text, &host.replace("Y", "x")), Verdict::RaceFree, "{host}");
            assert_eq!(verdict(text, &host.replace("Y", "y")), Verdict::RaceFree, "{host}");
        }
    }
}

#[test]
fn pointers_in_members_of_members_are_told_apart_like_others() {
    const NESTED: &str = "struct B { float *p; }; struct V { B b; int n; };
__global__ void k5(V a, V c) { int t = threadIdx.x; a.b.p[t] = c.b.p[t + 1]; }
";
    let verdict = |host: &str| {
        let file = (PathBuf::from("nested.cu"), format!("{NESTED}{host}\n"));
        let report = check_files(&[file], &Settings { jobs: 1, ..Settings::default() }, &solver_settings());
        report.kernels[0].verdict
    };
    for racy in [
        "void f(V v) { k5<<<1, 64>>>(v, v); }",
        "void f(float *x) { V v; v.b.p = x; V w; w.b.p = x; k5<<<1, 64>>>(v, w); }",
    ] {
        assert_ne!(verdict(racy), Verdict::RaceFree, "{racy}");
    }
    for safe in [
        "void f(V v, V w) { k5<<<1, 64>>>(v, w); }",
        "void f(float *x, float *y) { V v; v.b.p = x; V w; w.b.p = y; k5<<<1, 64>>>(v, w); }",
    ] {
        assert_eq!(verdict(safe), Verdict::RaceFree, "{safe}");
    }
}

/// Calls in calls ask for what they are given several times each; what is nested deeper than is looked into may be any pointer.
#[test]
fn pointers_in_long_chains_of_calls_are_not_taken_for_two() {
    let id = "float *id(float *p, float *q) { return p; } ";
    let nested = |depth: usize, inner: &str| format!("{}{inner}{}", "id(".repeat(depth), ", z)".repeat(depth));
    for depth in [12, 40, 120] {
        let one = format!("{id}void f(float *x, float *z, int n) {{ k<<<1, 64>>>({}, x, n); }}", nested(depth, "x"));
        assert!(matches!(verdict(&one), Verdict::Inconclusive | Verdict::Racy), "{depth} calls");
    }
    let two = format!("{id}void f(float *x, float *y, float *z, int n) {{ k<<<1, 64>>>({}, x, n); }}", nested(40, "y"));
    assert_eq!(verdict(&two), Verdict::RaceFree);
    // The chain of a builder, whose object is asked for.
    let chain = "struct B { float *p; B &with(int) { return *this; } float *get() { return p; } };";
    let links = ".with(1)".repeat(60);
    let built = format!("{chain} void f(B b, int n) {{ k<<<1, 64>>>(b{links}.get(), b.p, n); }}");
    assert!(matches!(verdict(&built), Verdict::Inconclusive | Verdict::Racy), "a chain");
}

/// Members that are reached through pointers and references to one object, methods that return it, and elements.
#[test]
fn pointers_in_one_object_are_not_taken_for_two() {
    let class = "struct B { float *p; float *q; int o; B &with(int) { return *this; } B *self() { return this; }
        B at(int i) { B c = *this; c.o = i; return c; } float *got() const { return p + o; } };
        struct C { B b; B *c; B &inner() { return b; } B *there() { return &b; } B &behind() { return *c; }
        float *deep() { return b.p; } float *far() { return c->p; } };
        static B held; B &instance() { return held; } B &same(B &b) { return b; } B *first(B *b) { return b; }
        B &of(B *b) { return *b; } float *part(C *c) { return c->b.p; }";
    let racing = |host: &str| {
        let verdict = verdict(&format!("{class} {host}"));
        assert!(matches!(verdict, Verdict::Inconclusive | Verdict::Racy), "{verdict:?} {host}");
    };
    for arguments in [
        "b.with(1).got(), b.p",
        "b.self()->p, b.p",
        "b.at(1).got(), b.at(0).got()",
        "of(&b).p, b.p",
        "same(b).p, b.p",
        "first(&b)->p, b.p",
        "(&b)->p, b.p",
        "std::addressof(b)->p, b.p",
        "c.inner().got(), c.b.p",
        "c.there()->p, c.b.p",
        "c.behind().p, c.c->p",
        "c.deep(), c.b.p",
        "c.far(), c.c->p",
        "part(&c), c.b.p",
        "l[0].p, l->p",
        "(*l).p, l->p",
        "(l + i)->p, l[i].p",
        "(l + 0)->p, l->p",
        "of(l).p, l->p",
        "instance().p, held.p",
        "v.front().p, v[0].p",
        "v.at(i).p, v[i].p",
        "v.back().p, v[i].p",
        "(i ? b : d).p, b.p",
        "(i ? &b : &d)->p, d.p",
    ] {
        racing(&format!(
            "void f(B b, B d, C c, B *l, std::vector<B> &v, int i, int n) {{ k<<<1, 64>>>({arguments}, n); }}"
        ));
    }
    for body in [
        "B *c = &b; k<<<1, 64>>>(c->p, b.p, n);",
        "B *c = l; k<<<1, 64>>>(c->p, l->p, n);",
        "B *c = l; c++; k<<<1, 64>>>(c->p, l[1].p, n);",
        "B &c = *l; k<<<1, 64>>>(c.p, l->p, n);",
        "B c = *l; k<<<1, 64>>>(c.p, l->p, n);",
        "B &c = l[0]; k<<<1, 64>>>(c.p, l->p, n);",
        "B &c = b.with(2); k<<<1, 64>>>(c.p, b.p, n);",
        "B *c = i ? l : nullptr; k<<<1, 64>>>(c->p, l->p, n);",
        "B &c = i ? b : d; k<<<1, 64>>>(c.p, b.p, n);",
        "B *c = &d; if (i) c = &b; k<<<1, 64>>>(c->p, b.p, n);",
        "B *c = &b; c->p = d.p; k<<<1, 64>>>(b.p, d.p, n);",
        "B *c = new B; B *e = c; c->p = b.p; k<<<1, 64>>>(e->p, b.p, n);",
        "B *c = l; l->p = b.p; l = &d; k<<<1, 64>>>(c->p, b.p, n);",
        "std::unique_ptr<B> u(l); k<<<1, 64>>>(u->p, l->p, n);",
        "auto [p, q, o] = b; k<<<1, 64>>>(p, b.p, n);",
        "for (auto &c : v) k<<<1, 64>>>(c.p, v[0].p, n);",
        "for (B c : v) k<<<1, 64>>>(c.p, v[0].p, n);",
        "for (auto &c : v) for (auto &e : v) k<<<1, 64>>>(c.p, e.p, n);",
        "for (B *c = l; c != l + n; c++) k<<<1, 64>>>(c->p, l[2].p, n);",
    ] {
        racing(&format!("void f(B b, B d, B *l, std::vector<B> &v, int i, int n) {{ {body} }}"));
    }
}

/// The twins of those: members of two objects, and two members of one.
#[test]
fn pointers_in_two_objects_stay_apart() {
    let class =
        "struct B { float *p; float *q; int o; B &with(int) { return *this; } float *got() const { return p + o; } };
        struct C { B b; B e; B &inner() { return b; } B &other() { return e; } B *there() { return &b; } };";
    for body in [
        "k<<<1, 64>>>(b.with(1).got(), d.with(1).got(), n);",
        "k<<<1, 64>>>(c.inner().p, c.other().p, n);",
        "k<<<1, 64>>>(c.there()->p, c.there()->q, n);",
        "B *x = &b; B *y = &d; k<<<1, 64>>>(x->p, y->p, n);",
        "B *x = &b; x = &d; k<<<1, 64>>>(x->p, b.p, n);",
        "B *x = new B; B *y = new B; k<<<1, 64>>>(x->p, y->p, n);",
        "k<<<1, 64>>>(l->p, l->q, n);",
        "B *x = l - 1; k<<<1, 64>>>(l->p, x->p, n);",
        "k<<<1, 64>>>(l[i].p, l[i - 1].p, n);",
        "B &x = i ? b : d; k<<<1, 64>>>(x.p, x.q, n);",
        "auto [p, q, o] = b; k<<<1, 64>>>(p, q, n);",
        "for (auto &x : v) k<<<1, 64>>>(x.p, x.q, n);",
        "for (auto &x : v) k<<<1, 64>>>(x.p, b.p, n);",
        "k<<<1, 64>>>(v.front().p, v.front().q, n);",
        "for (B *x = l; x != l + n; x++) k<<<1, 64>>>(x->p, x->q, n);",
    ] {
        let host = format!("{class} void f(B b, B d, C c, B *l, std::vector<B> &v, int i, int n) {{ {body} }}");
        assert_eq!(verdict(&host), Verdict::RaceFree, "{body}");
    }
}

/// What a sum or a round-up of an address, a list, an out-parameter or a copy of an object leads to. [HOST-OVERLAP]
#[test]
fn pointers_that_are_computed_or_handed_on_are_not_taken_for_two() {
    let class = "struct B { float *p; B(int n) { cudaMalloc(&p, n); } B(float *x) : p(x) {} float *operator[](int i) { return p + i; } };
        struct S { int n; float *p; }; __device__ float table[99];
        float *pool(int i) { static float *p = nullptr; if (!p) cudaMalloc(&p, 9999); return p + i; }
        float *view_alloc(float *p) { return p + 2; } void set(float **to, float *from) { *to = from; }";
    for body in [
        "k<<<1, 64>>>(x, n * 2 + x, n);",
        "k<<<1, 64>>>(x, (n) + x, n);",
        "k<<<1, 64>>>(x, -n + x, n);",
        "float *y = &(x[1]); k<<<1, 64>>>(x, y, n);",
        "float *y = &(*(x + 1)); k<<<1, 64>>>(x, y, n);",
        "float *y = (float *)(((uintptr_t)(x + 1) + 15) & ~(uintptr_t)15); k<<<1, 64>>>(x, y, n);",
        "uintptr_t u = (uintptr_t)x; u += 16; k<<<1, 64>>>(x, (float *)u, n);",
        "k<<<1, 64>>>(pool(0), pool(1), n);",
        "k<<<1, 64>>>(view_alloc(x), x, n);",
        "B l(999); B m = l; k<<<1, 64>>>(l.p, m.p, n);",
        "B l(x); k<<<1, 64>>>(l.p, x, n);",
        "B *l = new B(x); k<<<1, 64>>>(l->p, x, n);",
        "B l(999); k<<<1, 64>>>(l[0], l[1], n);",
        "auto q = std::make_pair(x, x); k<<<1, 64>>>(q.first, q.second, n);",
        "std::vector<float *> q(2, x); k<<<1, 64>>>(q[0], q[1], n);",
        "float *y; set(&y, x); k<<<1, 64>>>(x, y, n);",
        "float *y, *z; cudaGetSymbolAddress((void **)&y, table); cudaGetSymbolAddress((void **)&z, table); k<<<1, 64>>>(z, y, n);",
    ] {
        for from in ["float *x", ""] {
            let made = if from.is_empty() { "float *x; cudaMalloc(&x, 9999); " } else { "" };
            let comma = if from.is_empty() { "" } else { ", " };
            let host = format!("{class} void f({from}{comma}int n) {{ {made}{body} }}");
            assert!(matches!(verdict(&host), Verdict::Inconclusive | Verdict::Racy), "{host}");
        }
    }
    let given = "static void go(float *x, float *y, int n) { for (int i = 0; i < n; i++) { k<<<1, 64>>>(x, y, n); std::swap(x, y); } }
        static void both(B v, B &w, int n) { k<<<1, 64>>>(v.p, w.p, n); } static void behind(B *v, B *w, int n) { k<<<1, 64>>>(v->p, w->p, n); }";
    for body in
        ["go(x, x + 2, n);", "B l(9); both(l, l, n);", "B l(9); behind(&l, &l, n);", "B l(9); B m = l; both(l, m, n);"]
    {
        let host = format!("{class} {given} void f(float *x, int n) {{ {body} }}");
        assert!(matches!(verdict(&host), Verdict::Inconclusive | Verdict::Racy), "{host}");
    }
    for body in ["go(x, y, n);", "B l(9), m(9); both(l, m, n);", "B l(9), m(9); behind(&l, &m, n);"] {
        let host = format!("{class} {given} void f(float *x, float *y, int n) {{ {body} }}");
        assert_eq!(verdict(&host), Verdict::RaceFree, "{host}");
    }
    for body in [
        "k<<<1, 64>>>(n * 2 + x, n * 2 + y, n);",
        "float *v = (float *)(((uintptr_t)x + 15) & ~(uintptr_t)15), *w = (float *)(((uintptr_t)y + 15) & ~(uintptr_t)15); k<<<1, 64>>>(v, w, n);",
        "B l(999); B m(999); k<<<1, 64>>>(l.p, m.p, n);",
        "B *l = new B(x), *m = new B(y); k<<<1, 64>>>(l->p, m->p, n);",
        "float *v, *w; set(&v, x); set(&w, y); k<<<1, 64>>>(v, w, n);",
    ] {
        let host = format!("{class} void f(float *x, float *y, int n) {{ {body} }}");
        assert_eq!(verdict(&host), Verdict::RaceFree, "{host}");
    }
}

/// More states than are told apart are made one, and none of them is forgotten.
#[test]
fn pointers_of_many_branches_are_not_forgotten() {
    let branches: String = (0..8).map(|i| format!("if (c & {}) v{i} = p{i};", 1 << i)).collect();
    let list = |text: &str| (0..8).map(|i| format!("{text}{i}")).collect::<Vec<_>>().join(", ");
    let host = |first: &str, u: &str| {
        format!(
            "__global__ void many(float *a, const float *b, int n, {0}) {{ int t = threadIdx.x; if (t < n) a[t] = b[t + 1]; }}
void f(float *x, float *s, int c, int n, {1}, {0}) {{ {first} {branches} {u} many<<<1, 64>>>(x, u, n, {2}); }}",
            list("float *v"),
            list("float *p"),
            list("v")
        )
    };
    let verdict = |host: &str| {
        let file = (PathBuf::from("branches.cu"), host.to_owned());
        let report = check_files(&[file], &Settings { jobs: 1, ..Settings::default() }, &solver_settings());
        report.kernels[0].verdict
    };
    for (first, then) in [
        ("float *u = s; if (c == 77) u = x;", ""),
        ("float *u = x; if (c == 77) u = s;", ""),
        ("float *u = s;", "if (c == 77) u = x;"),
        ("float *u = s, *w = s; if (c == 77) w = x;", "u = w;"),
    ] {
        assert_eq!(verdict(&host(first, then)), Verdict::Inconclusive, "{first} {then}");
    }
    for (first, then) in [("float *u = s;", ""), ("float *u = x;", "u = s;"), ("float *u = x, *w = s;", "u = w;")] {
        assert_eq!(verdict(&host(first, then)), Verdict::RaceFree, "{first} {then}");
    }
}

/// A function of the unit that is given the address of a pointer may make it one of the others, if it can be seen to do so.
#[test]
fn pointers_that_functions_put_where_they_are_told_are_not_taken_for_two() {
    let call = "void f(float *x, int n) { float *y; make(&y, x, n); k<<<1, 64>>>(x, y, n); }";
    for make in [
        "void make(float **p, float *q, int n) { *p = q; }",
        "void make(float **p, float *q, int n) { *p = (float *)malloc(n); if (n > 4) *p = q; }",
        "void make(float **p, float *q, int n) { p[0] = q + n; }",
        "void make(float **p, float *q, int n) { float **r = p; *r = q; }",
        "void set(float **p, float *q); void make(float **p, float *q, int n) { set(p, q); }",
        "void make(float **p, float *q, int n) { float *&r = *p; r = q; }",
        "void make(float **p, float *q, int n) { *p = new (q) float[n]; }",
        "void make(float **p, float *q, int n) { std::swap(*p, q); }",
        "void make(float **p, float *q, int n);",
        "void make(float **p, float *q, int n) { cudaMalloc(p, n); } void make(float **p, float *q, long n) { *p = q; }",
    ] {
        assert_ne!(verdict(&format!("{make} {call}")), Verdict::RaceFree, "{make}");
    }
    for make in [
        "void make(float **p, float *q, int n) { *p = (float *)malloc(n); if (*p == NULL) exit(1); (*p)[0] = q[0]; }",
        "void make(float **p, float *q, int n) { cudaMalloc((void **)p, n); cudaMemcpy(*p, q, n, cudaMemcpyHostToDevice); }",
        "void make(float **p, float *q, int n); void make(float **p, float *q, int n) { *p = new float[n]; for (int i = 0; i < n; i++) (*p)[i] = q[i]; }",
    ] {
        assert_eq!(verdict(&format!("{make} {call}")), Verdict::RaceFree, "{make}");
    }
}

/// What is assigned to elements that are numbers makes no pointers of them, however many there are.
#[test]
fn numbers_that_host_code_assigns_are_no_pointers() {
    let sums: String = (0..9).map(|i| format!("if (c & {}) v[{i}] = x[{i}]; else v[{i}] = y[0];", 1 << i)).collect();
    let host = |launch: &str| {
        format!("void f(float *x, float *y, int c, int n) {{ float *v = (float *)malloc(n); {sums} {launch} }}")
    };
    assert_eq!(verdict(&host("cudaMemcpy(y, v, n, cudaMemcpyDefault); k<<<1, 64>>>(x, y, n);")), Verdict::RaceFree);
    assert_eq!(verdict(&host("v = x; k<<<1, 64>>>(x, v, n);")), Verdict::Racy);
}

/// A call may put one of the pointers that it is given where it can: through addresses and references, into objects, arrays,
/// variables of the unit and those that a lambda names.
#[test]
fn pointers_that_calls_put_somewhere_are_not_taken_for_two() {
    for host in [
        "void set(float **, float *); void f(float *x, float *y, int n) { float *u, *w = y; set(&u, w); k<<<1, 64>>>(u, y, n); }",
        "struct S { float *p; }; void set(float **p, S s) { *p = s.p; } void f(float *x, float *y, int n) { S s; s.p = y; float *u; set(&u, s); k<<<1, 64>>>(u, y, n); }",
        "struct S { float *p; }; void set(float **p, const S &s) { *p = s.p; } void f(float *x, float *y, int n) { S s; s.p = y; float *u; set(&u, s); k<<<1, 64>>>(u, y, n); }",
        "struct S { float *p; }; void set(float **p, S *s) { *p = s->p; } void f(float *x, float *y, int n) { S s; s.p = y; float *u; set(&u, &s); k<<<1, 64>>>(u, y, n); }",
        "void set(float *&p, float *q) { p = q; } void f(float *x, float *y, int n) { float *u; set(u, y); k<<<1, 64>>>(u, y, n); }",
        "void set(float *&p, float *q); void f(float *x, float *y, int n) { float *u; set(u, y); k<<<1, 64>>>(u, y, n); }",
        "void set(float *&p, float *q); void f(float *x, float *y, int n) { float *u, *w = y; set(u, w); k<<<1, 64>>>(u, y, n); }",
        "void f(float *x, float *y, int n) { float *u = std::exchange(y, x); k<<<1, 64>>>(x, y, n); }",
        "void f(float *x, float *y, int n) { float *u = x; auto set = [&](float *q) { u = q; }; set(y); k<<<1, 64>>>(u, y, n); }",
        "struct S { float *p; void set(float *q) { p = q; } }; void f(float *x, float *y, int n) { S s; s.set(y); k<<<1, 64>>>(s.p, y, n); }",
        "struct S { float *p; void set(float *q) { p = q; } }; void f(S *s, float *y, int n) { s->set(y); k<<<1, 64>>>(s->p, y, n); }",
        "struct S { float *p; void set(float *q) { p = q; } float *get() { return p; } }; void f(S *s, float *y, int n) { s->set(y); k<<<1, 64>>>(s->get(), y, n); }",
        "void f(float *x, float *y, int n) { float *u; memcpy(&u, &y, sizeof(u)); k<<<1, 64>>>(u, y, n); }",
        "void f(float *x, float *y, int n) { P p, q; p.a = x; p.b = y; memcpy(&q, &p, sizeof(P)); k<<<1, 64>>>(q.a, x, n); }",
        "struct C { C(float *&p, float *q) { p = q; } }; void f(float *x, float *y, int n) { float *u = x; C c(u, y); k<<<1, 64>>>(u, y, n); }",
        "struct C { C(float **p, float *q) { *p = q; } }; void f(float *x, float *y, int n) { float *u = x; C c(&u, y); k<<<1, 64>>>(u, y, n); }",
        "void fill(P &p, float *q) { p.a = q; } void f(float *x, float *y, int n) { P p; fill(p, x); k<<<1, 64>>>(p.a, x, n); }",
        "void fill(P *p, float *q) { p->a = q; } void f(float *x, float *y, int n) { P p; fill(&p, x); k<<<1, 64>>>(p.a, x, n); }",
        "void fill(float **p, float *q) { p[0] = q; p[1] = q; } void f(float *x, float *y, int n) { float *u[2]; fill(u, x); k<<<1, 64>>>(u[0], u[1], n); }",
        "void fill(float **p, float *q) { p[0] = q; p[1] = q; } void f(float *x, float *y, int n) { float *u[2]; fill(u, x); k<<<1, 64>>>(u[0], x, n); }",
        "float *g; void set(float *q) { g = q; } void f(float *x, int n) { set(x); k<<<1, 64>>>(g, x, n); }",
        "void f(float *x, int n) { std::vector<float *> v; v.push_back(x); k<<<1, 64>>>(v[0], x, n); }",
        "void f(float *x, int n) { std::vector<float *> v; v.push_back(x); v.push_back(x); k<<<1, 64>>>(v[0], v[1], n); }",
        "void f(float *x, int n) { std::map<int, float *> v; v.insert({0, x}); k<<<1, 64>>>(v.at(0), x, n); }",
        "void f(thrust::device_vector<float> &v, int n) { k<<<1, 64>>>(thrust::raw_pointer_cast(&*v.begin()), thrust::raw_pointer_cast(&v[0]), n); }",
        "void f(thrust::device_vector<float> &v, int n) { auto it = v.begin(); k<<<1, 64>>>(thrust::raw_pointer_cast(&it[0]), thrust::raw_pointer_cast(&v[0]), n); }",
        "void f(rmm::device_uvector<float> &v, int n) { raft::device_span<float> s(v.data(), n); k<<<1, 64>>>(s.data(), v.data(), n); }",
        "void f(float *x, float *y, int c, int n) { float *u = y; goto l; m: k<<<1, 64>>>(u, x, n); return; l: u = x; goto m; }",
        "void ex(float *&a, float *&b) { float *t = a; a = b; b = a; } void f(float *x, float *y, int n) { ex(x, y); k<<<1, 64>>>(x, y, n); }",
        "void ex(float *&a, float *&b) { a = b; } void f(float *x, float *y, int n) { ex(x, y); k<<<1, 64>>>(x, y, n); }",
        "void ex(float **a, float **b) { *a = *b; } void f(float *x, float *y, int n) { ex(&x, &y); k<<<1, 64>>>(x, y, n); }",
        "void swap(float *&a, float *&b) { a = b; } void f(float *x, float *y, int n) { swap(x, y); k<<<1, 64>>>(x, y, n); }",
        "void set(float *&p, float *q); void set(int &p, int q) { p = q; } void f(float *x, float *y, int n) { float *u; set(u, y); k<<<1, 64>>>(u, y, n); }",
        "void set(float **p, float *q); void set(int **p, int *q) { } void f(float *x, float *y, int n) { float *u; set(&u, y); k<<<1, 64>>>(u, y, n); }",
        "struct B { float *p; virtual void set(float *q) {} }; struct D : B { void set(float *q) override { p = q; } }; void f(B *b, float *y, int n) { b->set(y); k<<<1, 64>>>(b->p, y, n); }",
        "struct C { C(float **p, float *q) { *p = q; } }; void f(float *x, float *y, int n) { float *u = x; C *c = new C(&u, y); k<<<1, 64>>>(u, y, n); }",
        "void f(float *x, float *y, int n) { long a = (long)x; auto p = (float *)a; k<<<1, 64>>>(p, x, n); }",
        "struct S { float *p, *q; void set(float *r) { p = r; } void f(float *y, int n) { set(y); k<<<1, 64>>>(p, y, n); } };",
        "struct S { float *p, *q; void set(float *r) { p = r; } void f(float *y, int n) { this->set(y); k<<<1, 64>>>(p, y, n); } };",
        "struct S { float *p, *q; void set(float *r); void f(float *y, int n) { set(y); k<<<1, 64>>>(p, y, n); } }; void S::set(float *r) { p = r; }",
        "namespace g { float *d; void set(float *r) { d = r; } } void f(float *y, int n) { g::set(y); k<<<1, 64>>>(g::d, y, n); }",
        "struct S { static float *d; static void set(float *r) { d = r; } }; void f(float *y, int n) { S::set(y); k<<<1, 64>>>(S::d, y, n); }",
        "void in(float **p, float *q) { *p = q; } void out(float **p, float *q) { in(p, q); } void f(float *y, int n) { float *u; out(&u, y); k<<<1, 64>>>(u, y, n); }",
        "float *g; void in(float *q) { g = q; } void out(float *q) { in(q); } void f(float *y, int n) { out(y); k<<<1, 64>>>(g, y, n); }",
        "struct S { float *p; void in(float *q) { p = q; } void out(float *q) { in(q); } }; void f(float *y, int n) { S s; s.out(y); k<<<1, 64>>>(s.p, y, n); }",
        "struct S { float *p; S &set(float *q) { p = q; return *this; } }; void f(float *y, int n) { S s; s.set(y).set(y); k<<<1, 64>>>(s.p, y, n); }",
        "void fill(P *p, float *q) { for (int i = 0; i < 2; i++) p[i].a = q; } void f(float *y, int n) { P p[2]; fill(p, y); k<<<1, 64>>>(p[0].a, p[1].a, n); }",
        "void fill(P *p, float *q) { p->a = q; } void f(P *p, float *y, int n) { fill(p, y); k<<<1, 64>>>(p->a, y, n); }",
        "void fill(P *p, float *q) { P t; t.a = q; *p = t; } void f(float *y, int n) { P p; fill(&p, y); k<<<1, 64>>>(p.a, y, n); }",
        "void fill(P *p, float *q) { float *&r = p->a; r = q; } void f(float *y, int n) { P p; fill(&p, y); k<<<1, 64>>>(p.a, y, n); }",
        "void fill(P *p, float *q) { float **r = &p->b; *r = q; } void f(float *y, int n) { P p; fill(&p, y); k<<<1, 64>>>(p.b, y, n); }",
        "void fill(P *p, float *q, int c) { p->a = c ? q : 0; } void f(float *y, int n) { P p; fill(&p, y, n); k<<<1, 64>>>(p.a, y, n); }",
        "void fill(P *p, float *q, int c) { p->a = q + c; } void f(float *y, int n) { P p; fill(&p, y, n); k<<<1, 64>>>(p.a, y, n); }",
        "void fill(P *p, float *q, int c) { p->a = p->b = q; } void f(float *y, int n) { P p; fill(&p, y, n); k<<<1, 64>>>(p.a, p.b, n); }",
        "void fill(P *p) { p->a = p->b; } void f(float *y, int n) { P p; p.b = y; fill(&p); k<<<1, 64>>>(p.a, p.b, n); }",
        "void fill(P &p) { p.a = p.b; } void f(float *y, int n) { P p; p.b = y; fill(p); k<<<1, 64>>>(p.a, p.b, n); }",
        "struct S { float *a, *b; void fill() { a = b; } }; void f(float *y, int n) { S p; p.b = y; p.fill(); k<<<1, 64>>>(p.a, p.b, n); }",
        "struct S { float *a, *b; void fill() { a = b; } }; void f(S &p, int n) { p.fill(); k<<<1, 64>>>(p.a, p.b, n); }",
        "void f(float *x, float *y, int n) { float *u = x; std::function<void(float *)> g = [&](float *q) { u = q; }; g(y); k<<<1, 64>>>(u, y, n); }",
        "void set(P *p, P *s) { *p = *s; } void f(float *y, int n) { P p, s; s.a = y; set(&p, &s); k<<<1, 64>>>(p.a, y, n); }",
        "void set(P *p, P *s) { memcpy(p, s, sizeof(P)); } void f(float *y, int n) { P p, s; s.a = y; set(&p, &s); k<<<1, 64>>>(p.a, y, n); }",
        "void set(P *p, P *s) { p->a = s[0].a; } void f(float *y, int n) { P p, s; s.a = y; set(&p, &s); k<<<1, 64>>>(p.a, y, n); }",
        "template <class T> void set(T *p, T *s) { *p = *s; } void f(float *y, int n) { P p, s; s.a = y; set(&p, &s); k<<<1, 64>>>(p.a, y, n); }",
        "void map(float **d, float *h) { cudaHostGetDevicePointer((void **)d, h, 0); } void f(float *y, int n) { float *d; map(&d, y); k<<<1, 64>>>(d, y, n); }",
        "void f(float *x, float *y, int c) { P p; p.a = x; p.b = y; goto l; m: k2<<<1, 64>>>(p); return; l: p.b = x; goto m; }",
        "struct B { float *p; void set(float *q) {} }; struct D : B { void set(float *q) { p = q; } }; void f(D *b, float *y, int n) { b->set(y); k<<<1, 64>>>(b->p, y, n); }",
        "struct A { size_t base; }; void f(A s, int n) { k<<<1, 64>>>((float *)(s.base + 4), (float *)(s.base + 8), n); }",
    ] {
        assert!(matches!(verdict(host), Verdict::Inconclusive | Verdict::Racy), "{host}");
    }
}

/// What a function only reads, or puts into one member, is in no other place.
#[test]
fn pointers_that_calls_only_use_stay_apart() {
    for host in [
        "void set(float **p, float *q) { cudaMalloc(p, 4); cudaMemcpy(*p, q, 4, cudaMemcpyHostToDevice); } void f(float *x, float *y, int n) { float *u; set(&u, y); k<<<1, 64>>>(u, y, n); }",
        "struct S { float *p; void up(const float *q, int n) { cudaMemcpy(p, q, n, cudaMemcpyHostToDevice); } }; void f(float *y, int n) { S s; s.up(y, n); k<<<1, 64>>>(s.p, y, n); }",
        "void f(float *x, float *y, int n) { std::vector<float *> v; v.push_back(x); k<<<1, 64>>>(y, x, n); }",
        "void init(float *h, int n); void f(float *x, float *y, int n) { init(y, n); k<<<1, 64>>>(x, y, n); }",
        "void set(float **p, float *q) { *p = q; } void f(float *x, float *y, int n) { float *u; set(&u, y); k<<<1, 64>>>(u, x, n); }",
        "void f(float *x, float *y, int n) { auto show = [&](const float *q) { printf(\"%f\", q[0]); }; show(y); k<<<1, 64>>>(x, y, n); }",
        "struct T { float sum; T(const float *q, int n) { sum = q[0]; } }; void f(float *x, float *y, int n) { T t(y, n); k<<<1, 64>>>(x, y, n); }",
        "void fill(P *p, float *a, float *b, int n) { p->a = a; p->b = b; p->n = n; } void f(float *x, float *y, int n) { P p; fill(&p, x, y, n); k2<<<1, 64>>>(p); }",
        "void fill(P &p, float *a, float *b, int n) { p.a = a; p.b = b; p.n = n; } void f(float *x, float *y, int n) { P p; fill(p, x, y, n); k2<<<1, 64>>>(p); }",
        "struct Q { float *a, *b; void fill(float *x, float *y) { a = x; b = y; } }; void f(float *x, float *y, int n) { Q p; p.fill(x, y); k<<<1, 64>>>(p.a, p.b, n); }",
        "float *d_a, *d_b; void init(float *h, int n) { cudaMalloc(&d_a, n); cudaMalloc(&d_b, n); cudaMemcpy(d_a, h, n, cudaMemcpyHostToDevice); cudaMemcpy(d_b, h, n, cudaMemcpyHostToDevice); } void f(float *h, int n) { init(h, n); k<<<1, 64>>>(d_a, d_b, n); }",
        "float *d_a, *d_b; void init(float *h, float *g) { d_a = h; d_b = g; } void f(float *h, float *g, int n) { init(h, g); k<<<1, 64>>>(d_a, d_b, n); }",
        "template <typename T> inline void Swap(T &a, T &b) { T t = a; a = b; b = t; } void f(float *x, float *y, int n) { for (int i = 0; i < n; i++) { k<<<1, 64>>>(y, x, n); Swap(x, y); } }",
        "void flip(float **a, float **b) { float *t = *a; *a = *b; *b = t; } void f(float *x, float *y, int n) { for (int i = 0; i < n; i++) { k<<<1, 64>>>(y, x, n); flip(&x, &y); } }",
        "void step(float *a, float *b, int n) { k<<<1, 64>>>(a, b, n); } void f(float *x, float *y, int n) { for (int i = 0; i < n; i++) { step(x, y, n); step(y, x, n); } }",
        "int f(float *x, float *y, int n) { if (cudaMalloc(&x, n)) goto error; k<<<1, 64>>>(x, y, n); error: cudaFree(x); return 1; }",
        "void f(float *x, float *y, int n) { memcpy(x, y, n); k<<<1, 64>>>(x, y, n); }",
        "void f(float *x, float *y, int n) { P p; p.a = x; p.b = y; P q; memcpy(&q, &p, sizeof(P)); k<<<1, 64>>>(q.a, q.b, n); }",
        "void f(int n) { std::vector<float> h(n); thrust::device_vector<float> a(h), b(h); thrust::copy(h.begin(), h.end(), a.begin()); k<<<1, 64>>>(thrust::raw_pointer_cast(a.data()), thrust::raw_pointer_cast(b.data()), n); }",
        "void f(int n) { std::vector<float> h(n); float *x, *y; cudaMalloc(&x, n); cudaMalloc(&y, n); cudaMemcpy(x, h.data(), n, cudaMemcpyHostToDevice); cudaMemcpy(y, h.data(), n, cudaMemcpyHostToDevice); k<<<1, 64>>>(x, y, n); }",
        "void alloc2(float **a, float **b, int n); void f(int n) { float *x, *y; alloc2(&x, &y, n); k<<<1, 64>>>(x, y, n); }",
        "void make_two(float **a, float **b, int n); void f(int n) { float *x, *y; make_two(&x, &y, n); k<<<1, 64>>>(x, y, n); }",
        "struct Buf { float *p; Buf(int n) { cudaMalloc(&p, n); } void copy(const Buf &o, int n) { cudaMemcpy(p, o.p, n, cudaMemcpyDeviceToDevice); } float *data() { return p; } }; void f(int n) { Buf a(n), b(n); a.copy(b, n); k<<<1, 64>>>(a.data(), b.data(), n); }",
    ] {
        assert_eq!(verdict(host), Verdict::RaceFree, "{host}");
    }
}

/// Calls that exchange two pointers, by whatever name.
#[test]
fn pointers_that_a_function_of_the_unit_exchanges_are_followed() {
    for function in [
        "void flip(float **p, float **q) { float *t = *p; *p = *q; *q = t; }",
        "void flip(float **p, float **q) { float *t = *q; *q = *p; *p = t; }",
        "void swap(float **p, float **q);",
    ] {
        let flip = if function.contains("swap") { "swap" } else { "flip" };
        let stays = format!(
            "{function} void f(float *x, float *y, int n) {{ float *u = y; {flip}(&u, &x); k<<<1, 64>>>(u, y, n); }}"
        );
        assert_eq!(verdict(&stays), Verdict::RaceFree, "{function}");
        let one = format!(
            "{function} void f(float *x, float *y, int n) {{ float *u = y; {flip}(&u, &x); k<<<1, 64>>>(x, y, n); }}"
        );
        assert_ne!(verdict(&one), Verdict::RaceFree, "{function}");
    }
    for function in [
        "void swap(float **p, float **q) { float *t = *p; *p = *q; *q = *p; }",
        "void swap(float **p, float **q) { float *t = *p; *q = *p; *p = t; }",
    ] {
        let host = format!("{function} void f(float *x, float *y, int n) {{ swap(&x, &y); k<<<1, 64>>>(x, y, n); }}");
        assert_ne!(verdict(&host), Verdict::RaceFree, "{function}");
    }
}

fn may_be_one(bad: &[&str], good: &[&str]) {
    bad.iter().for_each(|host| assert_ne!(verdict(host), Verdict::RaceFree, "{host}"));
    good.iter().for_each(|host| assert_eq!(verdict(host), Verdict::RaceFree, "{host}"));
}

/// Members, variables of the unit and `static` ones have what an earlier call of the function left there. [HOST-ELSEWHERE]
#[test]
fn an_earlier_call_of_the_function_may_make_two_pointers_one() {
    may_be_one(
        &[
            "struct R { float *cur, *prev; void step(int n) { k<<<1, 64>>>(cur, prev, n); prev = cur; } }; void f(R &r, int n) { r.step(n); r.step(n); }",
            "float *cur, *prev; void step(int n) { k<<<1, 64>>>(cur, prev, n); prev = cur; } void f(int n) { step(n); step(n); }",
            "void run(float *x, int n) { static float *last; if (!last) cudaMalloc(&last, n); k<<<1, 64>>>(x, last, n); last = x; } void f(float *p, int n) { run(p, n); run(p, n); }",
            "void run(float *x, int n) { static float *last = nullptr; if (last) k<<<1, 64>>>(x, last, n); last = x; } void f(float *p, int n) { run(p, n); run(p, n); }",
            "float *last; void run(float *x, int n) { k<<<1, 64>>>(x, last, n); last = x; } void f(float *p, int n) { run(p, n); run(p, n); }",
        ],
        &[
            "struct R { float *cur, *prev; void step(int n) { k<<<1, 64>>>(cur, prev, n); float *t = prev; prev = cur; cur = t; } }; void f(R &r, int n) { r.step(n); r.step(n); }",
            "float *cur, *prev; void step(int n) { k<<<1, 64>>>(cur, prev, n); std::swap(cur, prev); } void f(int n) { step(n); step(n); }",
            "void run(float *x, int n) { static float *last; if (!last) cudaMalloc(&last, n); k<<<1, 64>>>(x, last, n); } void f(float *p, int n) { run(p, n); run(p, n); }",
            "void run(float *x, int n) { static float *own = nullptr; if (!own) cudaMalloc(&own, n); k<<<1, 64>>>(x, own, n); } void f(float *p, int n) { run(p, n); run(p, n); }",
            "float *last; void run(float *x, float *y, int n) { k<<<1, 64>>>(x, last, n); last = y; } void f(float *p, float *q, int n) { run(p, q, n); }",
        ],
    );
}

#[test]
fn lists_of_members_and_addresses_of_variables_of_the_unit_are_followed() {
    let class = "struct T { float *u, *v; };";
    let run = "{ k<<<1, 64>>>(t.u, t.v, n); }";
    for (ty, list) in [("T t", "t{p, q}"), ("T t", "t = {p, q}"), ("T &t", "t{p, q}")] {
        let host =
            format!("{class} void run({ty}, int n) {run} void f(float *p, float *q, int n) {{ T {list}; run(t, n); }}");
        may_be_one(&[&host.replace("p, q}", "p, p}")], &[&host]);
    }
    let init = |second: &str| {
        format!(
            "float *A, *B; void init(float **x, float **y) {{ cudaMalloc(x, 4); {second} }} void run(int n) {{ k<<<1, 64>>>(A, B, n); }} void f(int n) {{ init(&A, &B); run(n); }}"
        )
    };
    may_be_one(&[&init("*y = *x;")], &[&init("cudaMalloc(y, 4);")]);
}

#[test]
fn parameters_that_are_cast_in_variables_are_followed() {
    let run = "void run(void *x, void *y, int n) { float *u = (float *)x, *v = static_cast<float *>(y); float *w = v; k<<<1, 64>>>(u, w, n); }";
    let host = |given: &str| format!("{run} void f(float *p, float *q, int n) {{ run({given}, n); }}");
    may_be_one(&[&host("p, p"), &host("p, p + 128")], &[&host("p, q")]);
}
