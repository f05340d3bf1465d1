#include "search/store/sql/connection.hpp"

namespace chop::search {

std::int64_t integer_of(const SqlValue& value) {
  const auto* found = std::get_if<std::int64_t>(&value);
  return found == nullptr ? 0 : *found;
}

double number_of(const SqlValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  const auto* found = std::get_if<double>(&value);
  return found == nullptr ? std::numeric_limits<double>::quiet_NaN() : *found;
}

const std::string& text_of(const SqlValue& value) {
  static const std::string none;
  const auto* found = std::get_if<std::string>(&value);
  return found == nullptr ? none : *found;
}

SqlValue list_argument(const SqlDialect& dialect, std::span<const std::int64_t> numbers) {
  std::string text(1, dialect.list_open);
  for (const std::int64_t number : numbers) {
    if (text.size() > 1) text += ',';
    text += std::to_string(number);
  }
  return text += dialect.list_close;
}

Status execute(SqlConnection& connection, SqlCommand command) {
  return connection.execute({&command, 1});
}

Result<SqlTransaction> SqlTransaction::begin(SqlConnection& connection) {
  CH_CHECK(execute(connection, {connection.dialect().begin}));
  return SqlTransaction(connection);
}

SqlTransaction::SqlTransaction(SqlTransaction&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)) {}

SqlTransaction::~SqlTransaction() {
  if (connection_ != nullptr) (void)execute(*connection_, {"ROLLBACK"});
}

Status SqlTransaction::commit() {
  CH_CHECK(execute(*connection_, {"COMMIT"}));
  connection_ = nullptr;
  return {};
}

}  // namespace chop::search
