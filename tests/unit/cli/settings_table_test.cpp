// The configuration table, word for word.
#include <gtest/gtest.h>

#include "cli/settings/setting_defs.hpp"
#include "report/table.hpp"
#include "unit/cli/settings_fixture.hpp"

namespace chop {
namespace {

using testing_cli::settings_of;

constexpr const char* kJscToml = R"(model = "jsc-tiny"
dataset = "jsc"
task = "cls"
max_epochs = 5
batch_size = 512
learning_rate = 1e-2
accelerator = "gpu"
project = "jsc-tiny-TPE"
seed = 42
log_every_n_steps = 5
[passes.quantize]
by = "type"
)";

// What a user of the reference system saw for
//   ./ch transform --config configs/examples/jsc_toy_by_type.toml --task cls --cpu=0
// with our defaults in the rows load_type and trainer_precision.
constexpr const char* kSeenByUsers =
    R"(+-------------------------+--------------------------+--------------+-----------------+--------------------------+
| Name                    |         Default          | Config. File | Manual Override |        Effective         |
+-------------------------+--------------------------+--------------+-----------------+--------------------------+
| task                    |      classification      |     cls      |       cls       |           cls            |
| load_name               |           None           |              |                 |           None           |
| load_type               |           auto           |              |                 |           auto           |
| batch_size              |           128            |     512      |                 |           512            |
| to_debug                |          False           |              |                 |          False           |
| log_level               |           info           |              |                 |           info           |
| report_to               |       tensorboard        |              |                 |       tensorboard        |
| seed                    |            0             |      42      |                 |            42            |
| quant_config            |           None           |              |                 |           None           |
| training_optimizer      |           adam           |              |                 |           adam           |
| trainer_precision       |            32            |              |                 |            32            |
| learning_rate           |          1e-05           |     0.01     |                 |           0.01           |
| weight_decay            |            0             |              |                 |            0             |
| max_epochs              |            20            |      5       |                 |            5             |
| max_steps               |            -1            |              |                 |            -1            |
| accumulate_grad_batches |            1             |              |                 |            1             |
| log_every_n_steps       |            50            |      5       |                 |            5             |
| num_workers             |            8             |              |        0        |            0             |
| num_devices             |            1             |              |                 |            1             |
| num_nodes               |            1             |              |                 |            1             |
| accelerator             |           auto           |     gpu      |                 |           gpu            |
| strategy                |           auto           |              |                 |           auto           |
| is_to_auto_requeue      |          False           |              |                 |          False           |
| github_ci               |          False           |              |                 |          False           |
| disable_dataset_cache   |          False           |              |                 |          False           |
| target                  |   xcu250-figd2104-2L-e   |              |                 |   xcu250-figd2104-2L-e   |
| num_targets             |           100            |              |                 |           100            |
| is_pretrained           |          False           |              |                 |          False           |
| max_token_len           |           512            |              |                 |           512            |
| project_dir             | /data/laurie2905/mase/ma |              |                 | /data/laurie2905/mase/ma |
|                         |        se_output         |              |                 |        se_output         |
| project                 |           None           | jsc-tiny-TPE |                 |       jsc-tiny-TPE       |
| model                   |           None           |   jsc-tiny   |                 |         jsc-tiny         |
| dataset                 |           None           |     jsc      |                 |           jsc            |
+-------------------------+--------------------------+--------------+-----------------+--------------------------+
)";

TEST(SettingsTable, IsTheReferencesTable) {
  std::vector<SettingDef> defs = reference_settings();
  const auto settings = settings_of({"--task", "cls", "--cpu=0"}, kJscToml, std::move(defs));
  ASSERT_TRUE(settings) << to_string(settings.error());
  EXPECT_EQ(render(settings_table(settings.value())), kSeenByUsers);
}

TEST(SettingsTable, OurRowsFollowTheReferences) {
  const auto settings = settings_of({"--no-nesterov"});
  ASSERT_TRUE(settings) << to_string(settings.error());
  const Table table = settings_table(settings.value());
  std::vector<std::string> expected;
  for (const SettingDef& def : reference_settings()) expected.emplace_back(def.field.name);
  for (const SettingDef& def : own_settings())
    if (def.in_table) expected.emplace_back(def.field.name);
  std::vector<std::string> names;
  for (const std::vector<Cell>& row : table.rows) names.push_back(row.front().text);
  EXPECT_EQ(names, expected);
  const std::string text = render(table);
  for (const char* row :
       {"| validation_fraction      |           0.1            |                 |"
        "           0.1            |\n",
        "| nesterov                 |           True           |      False      |"
        "          False           |\n",
        "| eta_min                  |           None           |                 |"
        "           None           |\n",
        "| checkpoint_every_seconds |            30            |                 |"
        "            30            |\n"})
    EXPECT_NE(text.find(row), std::string::npos) << row;
}

TEST(SettingsTable, OverriddenCellsAreGrey) {
  std::vector<SettingDef> defs = reference_settings();
  defs.erase(defs.begin() + 1, defs.end());
  const auto settings = settings_of({"--task", "lm"}, "task = \"cls\"", std::move(defs));
  ASSERT_TRUE(settings);
  EXPECT_EQ(render(settings_table(settings.value()), {.colour = true}),
            "+------+----------------+--------------+-----------------+-----------+\n"
            "| Name |    Default     | Config. File | Manual Override | Effective |\n"
            "+------+----------------+--------------+-----------------+-----------+\n"
            "| task | \x1b[38;5;8mclassification\x1b[0m |     \x1b[38;5;8mcls\x1b[0m      |"
            "       lm        |    lm     |\n"
            "+------+----------------+--------------+-----------------+-----------+\n");
}

TEST(SettingsTable, NumbersAreShownAsPythonDoes) {
  const auto settings =
      settings_of({"--learning-rate", "1", "--weight-decay=0.00001"}, "learning_rate = 3\n");
  ASSERT_TRUE(settings);
  const Settings& s = settings.value();
  EXPECT_EQ(s.shown("learning_rate", SettingSource::ConfigFile), "3");
  EXPECT_EQ(s.shown("learning_rate", SettingSource::Manual), "1.0");
  EXPECT_EQ(s.shown("weight_decay", SettingSource::Manual), "1e-05");
}

}  // namespace
}  // namespace chop
