// NSGA-III (Deb and Jain 2014, "An evolutionary many-objective optimization algorithm using
// reference-point-based nondominated sorting"): members of better fronts survive; of the last front
// that fits those nearest to reference directions that have the fewest survivors. For three
// objectives and more.
#include "search/algorithms/genetic.hpp"
#include "search/algorithms/reference_lines.hpp"

namespace chop::search::samplers::nsgaiii {
namespace {

constexpr double kMostLines = 10'000;

void shuffle(std::span<std::size_t> rows, Dice& dice) {
  for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[dice.below(i)]);
}

/// Moves `wanted` rows from `front` to `survivors`, each from the direction with the fewest
/// survivors.
void fill_niches(std::vector<std::size_t> front, std::span<const Nearest> nearest,
                 std::size_t lines, std::size_t wanted, Dice& dice,
                 std::vector<std::size_t>& survivors) {
  std::vector<std::size_t> members(lines, 0);
  for (const std::size_t row : survivors) ++members[nearest[row].line];
  std::vector<std::size_t> order(lines);
  for (std::size_t i = 0; i < lines; ++i) order[i] = i;
  shuffle(order, dice);
  shuffle(front, dice);
  for (; wanted > 0; --wanted) {
    // Only directions that have rows left in the front count.
    const std::size_t* line = nullptr;
    for (const std::size_t& one : order) {
      const bool has_rows = std::any_of(front.begin(), front.end(),
                                        [&](std::size_t row) { return nearest[row].line == one; });
      if (has_rows && (line == nullptr || members[one] < members[*line])) line = &one;
    }
    auto chosen = front.end();
    for (auto row = front.begin(); row != front.end(); ++row) {
      if (nearest[*row].line != *line) continue;
      const bool nearer =
          chosen == front.end() ||
          (members[*line] == 0 && nearest[*row].distance < nearest[*chosen].distance);
      if (nearer) chosen = row;
    }
    ++members[*line];
    survivors.push_back(*chosen);
    front.erase(chosen);
  }
}

std::vector<std::size_t> survive(std::span<const Losses> rows, std::size_t count, Dice dice,
                                 std::span<const Losses> weights) {
  const std::vector<int> ranks = nondominated_ranks(rows);
  const int last = *std::max_element(ranks.begin(), ranks.end());
  std::vector<Nearest> nearest;
  for (const Losses& row : normalised(rows, ranks)) nearest.push_back(nearest_line(row, weights));
  std::vector<std::size_t> survivors;
  for (int rank = 0; rank <= last && survivors.size() < count; ++rank) {
    std::vector<std::size_t> front;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (ranks[i] == rank) front.push_back(i);
    const std::size_t wanted = std::min(count - survivors.size(), front.size());
    if (wanted < front.size()) {
      fill_niches(std::move(front), nearest, weights.size(), wanted, dice, survivors);
    } else {
      shuffle(front, dice);
      survivors.insert(survivors.end(), front.begin(), front.end());
    }
  }
  return survivors;
}

Result<std::unique_ptr<Sampler>> make(const SamplerContext& context, const Args& args) {
  const GeneticSettings settings = genetic_settings(args);
  const std::size_t objectives = context.directions.size();
  const int divisions = args.has("dividing_parameter")
                            ? static_cast<int>(args.integer("dividing_parameter"))
                            : enough_divisions(objectives, settings.population);
  if (count_lines(objectives, divisions) > kMostLines)
    return args.wrong("dividing_parameter", "makes too many lines for so many objectives",
                      "take a smaller number");
  const auto survival = [weights = reference_weights(objectives, divisions)](
                            std::span<const Losses> rows, std::size_t count, Dice dice) {
    return survive(rows, count, dice, weights);
  };
  return std::unique_ptr<Sampler>(std::make_unique<GeneticSampler>(context, settings, survival));
}

std::vector<Field> nsgaiii_args() {
  const Field divisions{.name = "dividing_parameter",
                        .doc =
                            "parts that weights of the objectives are multiples of; unless "
                            "given, as many as make a line for every member",
                        .kind = FieldKind::Integer,
                        .bounds = {.least = 1, .most = 100}};
  std::vector<Field> args = genetic_args();
  args.push_back(divisions);
  return args;
}

}  // namespace

SamplerDef define() {
  return {.name = "nsgaiii",
          .aliases = {"nsga3", "nsga_iii"},
          .doc = "genetic search along lines of weights, for three objectives and more",
          .reproducible = "for any number of workers",
          .args = nsgaiii_args(),
          .make = make};
}

}  // namespace chop::search::samplers::nsgaiii
