// What the headers of PyTorch declare of the views of tensors that kernels are given, in our own words: a place for each
// list of subscripts, and sizes. How far apart the elements are in memory is not said: rows have a length of their own,
// which is no real one, and whoever leaves a row is not followed. [INF-TENSOR]
namespace at {
template <typename T> struct DefaultPtrTraits { typedef T *PtrType; };
template <typename T> struct RestrictPtrTraits { typedef T *PtrType; };
template <typename T, size_t N> struct TensorRows { typedef typename TensorRows<T, N - 1>::Type Type[32749]; };
template <typename T> struct TensorRows<T, 0> { typedef T Type; };

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
class TensorAccessor {
 public:
  typename TensorRows<T, N>::Type *data_;
  const index_t *sizes_;
  __host__ __device__ TensorAccessor(typename TensorRows<T, N>::Type *data, const index_t *sizes) : data_(data), sizes_(sizes) {}
  __host__ __device__ TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) const {
    return TensorAccessor<T, N - 1, PtrTraits, index_t>(&(*data_)[i], sizes_ + 1);
  }
  __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
};

template <typename T, template <typename U> class PtrTraits, typename index_t>
class TensorAccessor<T, 1, PtrTraits, index_t> {
 public:
  typename TensorRows<T, 1>::Type *data_;
  const index_t *sizes_;
  __host__ __device__ TensorAccessor(typename TensorRows<T, 1>::Type *data, const index_t *sizes) : data_(data), sizes_(sizes) {}
  __host__ __device__ T &operator[](index_t i) const { return (*data_)[i]; }
  __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
};

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
class GenericPackedTensorAccessor {
 public:
  typename TensorRows<T, N>::Type *data_;
  index_t sizes_[N];
  index_t strides_[N];
  __host__ __device__ TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) const {
    return TensorAccessor<T, N - 1, PtrTraits, index_t>(&(*data_)[i], sizes_ + 1);
  }
  __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
  __host__ __device__ index_t stride(index_t i) const { return strides_[i]; }
};

template <typename T, template <typename U> class PtrTraits, typename index_t>
class GenericPackedTensorAccessor<T, 1, PtrTraits, index_t> {
 public:
  typename TensorRows<T, 1>::Type *data_;
  index_t sizes_[1];
  index_t strides_[1];
  __host__ __device__ T &operator[](index_t i) const { return (*data_)[i]; }
  __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
  __host__ __device__ index_t stride(index_t i) const { return strides_[i]; }
};

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, index_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;
}
