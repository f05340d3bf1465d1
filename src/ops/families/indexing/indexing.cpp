#include "ops/families/indexing/indexing.hpp"

#include "support/text.hpp"

namespace chop::ops {

IndexOperand indices_along_dim(const TypedCall& call) {
  const Shape& x = call.shape(0);
  if (x.empty()) return {.operand = 1, .sizes = {1}};
  return {.operand = 1, .sizes = {x[axis_of(call.integer("dim"), x.size()).value()]}};
}

IndexOperand indices_nd(const TypedCall& call) {
  const auto first = call.shape(0).begin() + call.integer("batch_dims");
  return {.operand = 1, .sizes = {first, first + call.shape(1).back()}};
}

void take(const ForwardCall& call, const Ints& offsets) {
  call.with_type(0, [&]<class T>(T) {
    const auto x = call.in[0]->data<T>();
    const auto y = call.out[0].mutable_data<T>();
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = offsets[i] < 0 ? outside<T>() : x[static_cast<std::size_t>(offsets[i])];
  });
}

Status need_whole(const TypedCall& call, std::size_t position) {
  if (!is_floating(call.in[position].dtype)) return {};
  return Error{.what = cat(call.op.name, " takes whole numbers as operand ", position, ", got ",
                           name_of(call.in[position].dtype)),
               .hint = "indices are whole numbers: give it a tensor of i64"};
}

void mapped_forward(const ForwardCall& call, const IndexMaps& maps, double fill) {
  call.with_type(0, [&]<class T>(T) {
    const auto x = call.in[0]->data<T>();
    const auto y = call.out[0].mutable_data<T>();
    const T other = number_as<T>(fill);
    for_each_mapped(maps, call.in[0]->shape(), [&](std::size_t i, std::int64_t from) {
      y[i] = from < 0 ? other : x[static_cast<std::size_t>(from)];
    });
  });
}

void mapped_backward(const ForwardCall& call, const IndexMaps& maps) {
  const auto dy = call.x(0);
  const auto dx = call.y();
  for_each_mapped(maps, call.out[0].shape(), [&](std::size_t i, std::int64_t from) {
    if (from >= 0) dx[static_cast<std::size_t>(from)] += dy[i];
  });
}

IndexMaps tiled_maps(const Shape& in, const Shape& out) {
  IndexMaps maps(out.size());
  for (std::size_t d = 0; d < out.size(); ++d)
    for (std::int64_t j = 0; j < out[d]; ++j) maps[d].push_back(j % in[d]);
  return maps;
}

Ints element_offsets(const Shape& x, const Tensor& indices, std::size_t axis) {
  const auto given = indices.data<std::int64_t>();
  const Shape& shape = indices.shape();
  Ints offsets;
  offsets.reserve(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    auto rest = static_cast<std::int64_t>(i);
    std::int64_t stride = 1;
    std::int64_t at = 0;
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (d != axis) at += rest % shape[d] * stride;
      rest /= shape[d];
      stride *= x[d];
    }
    const auto found = checked_index(given[i], x.empty() ? 1 : x[axis]);
    const std::int64_t step = x.empty() ? 1 : product(x, axis + 1);
    offsets.push_back(found ? at + static_cast<std::int64_t>(*found) * step : -1);
  }
  return offsets;
}

Status check_elements(const Call& call, const Shape& x, const Shape& indices) {
  CH_TRY(const std::size_t axis, axis_of(call.integer("dim"), x.size()));
  bool fits = x.size() == indices.size();
  for (std::size_t d = 0; fits && d < x.size(); ++d) fits = d == axis || indices[d] <= x[d];
  if (fits) return {};
  return Error{
      .what = cat(call.op.name, " along dimension ", axis, " cannot use indices ",
                  to_string(indices), " with ", to_string(x)),
      .hint =
          "indices need as many dimensions as x, and must not be longer than x in the other "
          "dimensions"};
}

Ints nd_offsets(const Shape& x, const Tensor& indices, std::size_t batch_dims) {
  const auto given = indices.data<std::int64_t>();
  const Shape& shape = indices.shape();
  const auto depth = static_cast<std::size_t>(shape.back());
  const std::int64_t tuples = product(shape, 0, shape.size() - 1);
  const std::int64_t in_step = product(shape, batch_dims, shape.size() - 1);
  const std::int64_t slice = product(x, batch_dims + depth);
  Ints offsets;
  for (std::int64_t n = 0; n < tuples; ++n) {
    std::int64_t at = n / in_step;
    bool inside = true;
    for (std::size_t j = 0; j < depth; ++j) {
      const std::int64_t size = x[batch_dims + j];
      const auto found = checked_index(given[static_cast<std::size_t>(n) * depth + j], size);
      inside = inside && found.has_value();
      at = inside ? at * size + static_cast<std::int64_t>(*found) : 0;
    }
    for (std::int64_t i = 0; i < slice; ++i) offsets.push_back(inside ? at * slice + i : -1);
  }
  return offsets;
}

Result<Shape> nd_shape(const Call& call, const Shape& x, const Shape& indices) {
  const std::int64_t batch = call.integer("batch_dims");
  const std::int64_t depth = indices.empty() ? 0 : indices.back();
  const auto rank = static_cast<std::int64_t>(x.size());
  const auto refuse = [&](std::string hint) {
    return Error{.what = cat(call.op.name, " with batch_dims=", batch, " cannot use indices ",
                             to_string(indices), " with ", to_string(x)),
                 .hint = std::move(hint)};
  };
  if (indices.empty()) return refuse("indices need at least one dimension");
  if (batch < 0 || batch >= rank || batch >= static_cast<std::int64_t>(indices.size()))
    return refuse("batch_dims must be less than the number of dimensions of both");
  if (depth < 1 || depth > rank - batch)
    return refuse(cat("the last dimension of the indices must be from 1 to ", rank - batch));
  if (!std::equal(x.begin(), x.begin() + batch, indices.begin()))
    return refuse(cat("their first ", counted(batch, "dimension"), " must be equal"));
  Shape out(indices.begin(), indices.end() - 1);
  out.insert(out.end(), x.begin() + batch + depth, x.end());
  CH_CHECK(check_size(call, out));
  return out;
}

}  // namespace chop::ops
