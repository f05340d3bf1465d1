// Checked access to JSON: every field has its kind, and an error names the path of the field.
#pragma once

#include <initializer_list>

#include "ir/attr.hpp"
#include "ir/metadata.hpp"
#include "support/json.hpp"

namespace chop::ir {

/// "nodes[3].inputs: expected a list, found a number"
Error unexpected(const Tree& found, const std::string& path, std::string_view expected);

/// A JSON object with exactly the keys it may have and all those it must.
Status check_object(const Tree& json, const std::string& path,
                    std::initializer_list<std::string_view> required,
                    std::initializer_list<std::string_view> optional = {});

Result<std::string> text_from(const Tree& json, const std::string& path);
Result<bool> flag_from(const Tree& json, const std::string& path);
Result<std::int64_t> integer_from(const Tree& json, const std::string& path);
Result<Ints> integers_from(const Tree& json, const std::string& path);

/// Attributes keep their kind: reals JSON cannot write are {"real": "nan"}, an empty list of
/// reals is {"reals": []}.
Tree tree_of(const Attr& attr);
Tree tree_of(const Attrs& attrs);
Result<Attrs> attrs_from(const Tree& json, const std::string& path);

Result<Metadata> metadata_from(const Tree& json, const std::string& path);

}  // namespace chop::ir
