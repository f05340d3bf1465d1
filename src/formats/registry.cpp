#include "formats/registry.hpp"

#include <cctype>

#include "config/toml.hpp"
#include "support/text.hpp"

#include "formats.inc"

namespace chop::formats {
namespace {

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool answers_to(const FormatDef& def, std::string_view name) {
  return def.name == name ||
         std::find(def.aliases.begin(), def.aliases.end(), name) != def.aliases.end();
}

struct Configured {
  const FormatDef* def;
  Config config;

  Bits bits() const {
    if (def->bits != nullptr) return def->bits(config);
    return {.value = config.integer("width"),
            .shared = def->shared_bits.empty() ? 0 : config.integer(def->shared_bits)};
  }
};

Result<Configured> configure(const NumberFormat& format) {
  CH_TRY(const FormatDef* def, find_format(format.name));
  CH_TRY(Config config, complete_config(*def, format.config));
  return Configured{def, std::move(config)};
}

}  // namespace

std::span<const FormatDef> all_formats() {
  static const std::vector<FormatDef> table = collected();
  return table;
}

Result<const FormatDef*> find_format(std::string_view name) {
  std::vector<std::string> names;
  for (const FormatDef& def : all_formats()) {
    if (answers_to(def, name)) return &def;
    names.emplace_back(def.name);
    names.insert(names.end(), def.aliases.begin(), def.aliases.end());
  }
  return Error{.what = cat("unknown number format '", name, "'"),
               .hint = cat(did_you_mean(name, names), "`ch format --list` lists all ",
                           all_formats().size())};
}

Result<Config> complete_config(const FormatDef& def, const Attrs& given) {
  CH_TRY(Config config, complete_keys(def.name, def.keys, given));
  if (def.complete != nullptr) CH_CHECK(def.complete(config));
  return config;
}

Result<NumberFormat> complete(const NumberFormat& format) {
  CH_TRY(const Configured c, configure(format));
  return NumberFormat{format.name, c.config.values()};
}

std::vector<NumberFormat> samples_of(const FormatDef& def) {
  std::vector<NumberFormat> samples;
  for (const std::string_view text : def.samples) {
    NumberFormat& sample = samples.emplace_back(NumberFormat{std::string(def.name), {}});
    for (const std::string& word : split(text, ' '))
      if (const std::size_t at = word.find('='); at != std::string::npos)
        sample.config[word.substr(0, at)] = attr_of(read_word(word.substr(at + 1))).value();
  }
  return samples;
}

std::string shown_default(const FormatDef& def, const Field& key) {
  if (key.required) return "required";
  if (!key.initial.is_null()) return to_text(default_of(key));
  return contains(def.derived, key.name) ? "derived" : "none";
}

std::string display(const NumberFormat& format) {
  const Result<Configured> c = configure(format);
  if (!c || c.value().def->keys.empty()) return format.name;
  std::vector<std::string> parts;
  for (const Field& key : c.value().def->keys) {
    if (!c.value().config.has(key.name)) continue;
    const FormatDef& def = *c.value().def;
    const Attr& value = c.value().config.values().at(std::string(key.name));
    const bool usual = !key.initial.is_null() && same_bits(value, default_of(key));
    if (contains(def.precision, key.name))
      parts.push_back(to_python(value));
    else if (!contains(def.derived, key.name) && !key.required && !usual)
      parts.push_back(cat(key.name, "=", to_python(value)));
  }
  return cat(format.name, "(", join(parts, ", "), ")");
}

Result<std::vector<Attr>> precision_of(const NumberFormat& format) {
  CH_TRY(const Configured c, configure(format));
  std::vector<Attr> list;
  for (const Field& key : c.def->keys)
    if (contains(c.def->precision, key.name))
      list.push_back(c.config.has(key.name) ? c.config.values().at(std::string(key.name))
                                            : Attr(std::string("NA")));
  if (list.empty()) list.emplace_back(std::int64_t{c.bits().value});
  return list;
}

std::string class_name(std::string_view module, const NumberFormat& format) {
  const Result<const FormatDef*> def = find_format(format.name);
  if (!def || def.value()->suffix.empty()) return std::string(module);
  const bool is_class =
      !module.empty() && std::isupper(static_cast<unsigned char>(module.front())) != 0;
  return is_class ? cat(module, def.value()->suffix) : cat(module, "_", def.value()->name);
}

Result<Bits> bits_of(const NumberFormat& format) {
  CH_TRY(const Configured c, configure(format));
  return c.bits();
}

Result<std::int64_t> total_bits(const NumberFormat& format, const Shape& shape) {
  CH_TRY(const Configured c, configure(format));
  const Bits bits = c.bits();
  std::int64_t groups = 0;
  if (c.def->tiles != nullptr) {
    CH_TRY(const std::optional<Tiles> tiles, c.def->tiles(c.config, shape));
    if (tiles) groups = tiles->groups();
  }
  return numel(shape) * bits.value + groups * bits.shared;
}

Result<Range> range_of(const NumberFormat& format) {
  CH_TRY(const Configured c, configure(format));
  return c.def->range(c.config);
}

}  // namespace chop::formats
