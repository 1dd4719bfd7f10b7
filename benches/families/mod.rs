//! The five families of \[MAP\] Fig. 17, of any size, as protocols and as CUDA kernels.

/// A pattern that is repeated, or nested in itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    Accesses,
    Barriers,
    Conditionals,
    UnsynchronisedLoops,
    SynchronisedLoops,
}

/// What a case is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    Protocol,
    Cuda,
}

impl Form {
    pub const ALL: [Form; 2] = [Form::Protocol, Form::Cuda];

    /// How the name of its files ends.
    pub fn extension(self) -> &'static str {
        match self {
            Form::Protocol => "map",
            Form::Cuda => "cu",
        }
    }
}

impl Family {
    pub const ALL: [Family; 5] = [
        Family::Accesses,
        Family::Barriers,
        Family::Conditionals,
        Family::UnsynchronisedLoops,
        Family::SynchronisedLoops,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Family::Accesses => "accesses",
            Family::Barriers => "barriers",
            Family::Conditionals => "conditionals",
            Family::UnsynchronisedLoops => "unsynchronised-loops",
            Family::SynchronisedLoops => "synchronised-loops",
        }
    }

    /// The case of a size: race-free, or with one access more, in the innermost or last place, that races.
    ///
    /// Source:   \[MAP\] Fig. 17: `tid` is the number of the thread, T the number of threads, N a parameter; the literals
    ///           n1, n2, .. of the accesses are spread over 1..=size.
    /// Deviates: T is symbolic; there is one block, so that threads race within it only.
    pub fn text(self, form: Form, size: usize, racy: bool) -> String {
        let write = Statement::Write("tid".to_owned());
        let extra = match self {
            // Thread i reads the cell that thread i + 1 writes.
            Family::Barriers | Family::UnsynchronisedLoops | Family::SynchronisedLoops => {
                Statement::Read("tid + 1".to_owned())
            }
            Family::Accesses => Statement::Read(format!("tid + {size} * T + 1")),
            // Only the threads up to the last that is named do anything.
            Family::Conditionals => Statement::Read("0".to_owned()),
        };
        let extra = || racy.then(|| extra.clone());
        let body = match self {
            Family::Accesses => (1..=size)
                .flat_map(|k| {
                    let literal = k * 7 % size + 1;
                    [Statement::Read(format!("tid + {literal} * T")), Statement::Write(format!("tid + {k} * T"))]
                })
                .chain(extra())
                .collect(),
            Family::Barriers => {
                let mut all: Vec<Statement> = (0..size).flat_map(|_| [write.clone(), Statement::Barrier]).collect();
                all.splice(all.len() - 1..all.len() - 1, extra());
                all
            }
            Family::Conditionals => {
                let each = (0..size).map(|k| Statement::When(format!("tid == {k}"), vec![write.clone()]));
                let last = extra().map(|read| Statement::When(format!("tid == {size}"), vec![read]));
                each.chain(last).collect()
            }
            Family::UnsynchronisedLoops => (1..=size).rev().fold(extra().into_iter().collect(), |inner, k| {
                vec![Statement::Loop(k, [vec![write.clone()], inner].concat())]
            }),
            Family::SynchronisedLoops => (1..=size).rev().fold(Vec::new(), |inner, k| {
                let racy = extra().filter(|_| k == size);
                let body = std::iter::once(write.clone()).chain(racy).chain([Statement::Barrier]);
                vec![Statement::Loop(k, body.chain(inner).collect())]
            }),
        };
        match form {
            Form::Protocol => protocol(&body),
            Form::Cuda => cuda(&body),
        }
    }
}

#[derive(Clone)]
enum Statement {
    Read(String),
    Write(String),
    Barrier,
    When(String, Vec<Statement>),
    Loop(usize, Vec<Statement>),
}

fn protocol(body: &[Statement]) -> String {
    let mut sites = 0;
    let mut code = String::new();
    protocol_code(body, &mut sites, &mut code);
    format!(
        "kernel k {{\n  global N: i32;\n  global T: i32;\n  array a: global;\n  thread tid: i32 in 0..T;\n  \
         assume 1 <= T && T <= 1024;\n  code {{\n{code}  }}\n}}\n"
    )
}

fn protocol_code(body: &[Statement], sites: &mut usize, out: &mut String) {
    for statement in body {
        let site = *sites;
        match statement {
            Statement::Read(index) => out.push_str(&format!("rd a[{index}] @{site};\n")),
            Statement::Write(index) => out.push_str(&format!("wr a[{index}] @{site};\n")),
            Statement::Barrier => out.push_str(&format!("sync block @{site};\n")),
            Statement::When(condition, inner) => {
                out.push_str(&format!("if {condition} {{\n"));
                protocol_code(inner, sites, out);
                out.push_str("}\n");
            }
            Statement::Loop(number, inner) => {
                out.push_str(&format!("for i{number} in 0..N {{\n"));
                protocol_code(inner, sites, out);
                out.push_str("}\n");
            }
        }
        *sites += 1;
    }
}

fn cuda(body: &[Statement]) -> String {
    let mut code = String::new();
    cuda_code(body, &mut code);
    format!(
        "//--gridDim=1\n__global__ void k(int *a, int N)\n{{\n    int tid = threadIdx.x;\n    int T = blockDim.x;\n    \
         int x = 0;\n{code}}}\n"
    )
}

fn cuda_code(body: &[Statement], out: &mut String) {
    for statement in body {
        match statement {
            Statement::Read(index) => out.push_str(&format!("x += a[{index}];\n")),
            Statement::Write(index) => out.push_str(&format!("a[{index}] = tid;\n")),
            Statement::Barrier => out.push_str("__syncthreads();\n"),
            Statement::When(condition, inner) => {
                out.push_str(&format!("if ({condition}) {{\n"));
                cuda_code(inner, out);
                out.push_str("}\n");
            }
            Statement::Loop(number, inner) => {
                out.push_str(&format!("for (int i{number} = 0; i{number} < N; i{number}++) {{\n"));
                cuda_code(inner, out);
                out.push_str("}\n");
            }
        }
    }
}
