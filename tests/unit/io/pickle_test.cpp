// Pickles: every opcode that builds plain data, and refusals of everything that would run.
#include "io/torch/pickle.hpp"

#include <gtest/gtest.h>

#include "support/text.hpp"

namespace chop {
namespace {

using Kind = PickleKind;
using namespace std::string_literals;

bool only_ordered_dict(std::string_view module, std::string_view name) {
  return module == "collections" && name == "OrderedDict";
}

Result<Pickle> read(const std::string& bytes, const PickleLimits& limits = {}) {
  return read_pickle(std::as_bytes(std::span(bytes)), "x.pkl", only_ordered_dict, limits);
}

/// The value as Python would write it, near enough to compare.
std::string show(const Pickle& pickle, const PickleValue& value) {
  const auto items = [&](std::string_view open, std::string_view close) {
    std::vector<std::string> parts;
    for (const PickleId id : value.items) parts.push_back(show(pickle, pickle[id]));
    return cat(open, join(parts, ", "), close);
  };
  switch (value.kind) {
    case Kind::None:
      return "None";
    case Kind::Bool:
      return value.integer != 0 ? "True" : "False";
    case Kind::Int:
      return std::to_string(value.integer);
    case Kind::LongInt:
      return cat("long of ", value.text.size());
    case Kind::Real:
      return exact(value.real);
    case Kind::Text:
      return cat("'", value.text, "'");
    case Kind::Bytes:
      return cat("b'", value.text, "'");
    case Kind::List:
      return items("[", "]");
    case Kind::Tuple:
      return items("(", ")");
    case Kind::Set:
      return items("set(", ")");
    case Kind::Dict:
      return items("{", "}");
    case Kind::Name:
      return cat("<", value.text, ">");
    case Kind::Call:
      return items("call(", ")");
    case Kind::Persistent:
      return items("persistent(", ")");
  }
  return "?";
}

std::string shown(const std::string& bytes) {
  const Result<Pickle> pickle = read(bytes);
  if (!pickle) return to_string(pickle.error());
  return show(pickle.value(), pickle.value().top());
}

void expect_refused(const std::string& bytes, const std::string& what,
                    const PickleLimits& limits = {}) {
  const Result<Pickle> pickle = read(bytes, limits);
  ASSERT_FALSE(pickle) << what;
  EXPECT_EQ(pickle.error().what, "'x.pkl' is " + what);
}

TEST(Pickle, NumbersOfEveryProtocol) {
  EXPECT_EQ(shown("I42\n."), "42");
  EXPECT_EQ(shown("I01\n."), "True");
  EXPECT_EQ(shown("I00\n."), "False");
  EXPECT_EQ(shown("L-7L\n."), "-7");
  EXPECT_EQ(shown("L123456789012345678901234567890L\n."), "long of 30");
  EXPECT_EQ(shown("F0.25\n."), "0.25");
  EXPECT_EQ(shown("\x80\x02K\xff."), "255");
  EXPECT_EQ(shown("\x80\x02M\x01\x02."), "513");
  EXPECT_EQ(shown("\x80\x02J\xfe\xff\xff\xff."), "-2");
  EXPECT_EQ(shown("\x80\x02G\x3f\xd0\0\0\0\0\0\0."s), "0.25");
  EXPECT_EQ(shown("\x80\x02\x8a\x00."s), "0");
  EXPECT_EQ(shown("\x80\x02\x8a\x01\xff."), "-1");
  EXPECT_EQ(shown("\x80\x02\x8a\x08\0\0\0\0\0\0\0\x80."s), "-9223372036854775808");
  EXPECT_EQ(shown("\x80\x02\x8b\x02\0\0\0\0\x01."s), "256");
  EXPECT_EQ(shown("\x80\x02\x8a\x0a" + std::string(10, '\1') + "."), "long of 10");
  EXPECT_EQ(shown("N."), "None");
  EXPECT_EQ(shown("\x88."), "True");
  EXPECT_EQ(shown("\x89."), "False");
}

TEST(Pickle, TextsOfEveryProtocol) {
  EXPECT_EQ(shown("S'it\\'s\\n\\x41'\n."), "'it's\nA'");
  EXPECT_EQ(shown("Vcaf\xe9 \\u2603 \\U0001f600\n."), "'caf\u00e9 \u2603 \U0001f600'");
  EXPECT_EQ(shown("U\x03"
                  "abc."),
            "'abc'");
  EXPECT_EQ(shown("T\x03\0\0\0abc."s), "'abc'");
  EXPECT_EQ(shown("U\x01\xff."), "b'\xff'");
  EXPECT_EQ(shown("X\x02\0\0\0\xc3\xa9."s), "'\u00e9'");
  EXPECT_EQ(shown("\x8c\x01z."), "'z'");
  EXPECT_EQ(shown("\x8d\x01\0\0\0\0\0\0\0z."s), "'z'");
  EXPECT_EQ(shown("C\x01z."), "b'z'");
  EXPECT_EQ(shown("B\x01\0\0\0z."s), "b'z'");
  EXPECT_EQ(shown("\x8e\x01\0\0\0\0\0\0\0z."s), "b'z'");
  EXPECT_EQ(shown("\x96\x01\0\0\0\0\0\0\0z."s), "b'z'");
}

TEST(Pickle, ContainersMarksAndTheMemo) {
  EXPECT_EQ(shown("(I1\nI2\nl."), "[1, 2]");
  EXPECT_EQ(shown("(I1\nI2\nt."), "(1, 2)");
  EXPECT_EQ(shown("(I1\nI2\nd."), "{1, 2}");
  EXPECT_EQ(shown("]K\x01"
                  "aK\x02"
                  "a."),
            "[1, 2]");
  EXPECT_EQ(shown("](K\x01K\x02"
                  "e."),
            "[1, 2]");
  EXPECT_EQ(shown("}K\x01K\x02s."), "{1, 2}");
  EXPECT_EQ(shown("}(K\x01K\x02K\x03K\x04u."), "{1, 2, 3, 4}");
  EXPECT_EQ(shown(")."), "()");
  EXPECT_EQ(shown("K\x01\x85."), "(1)");
  EXPECT_EQ(shown("K\x01K\x02\x86."), "(1, 2)");
  EXPECT_EQ(shown("K\x01K\x02K\x03\x87."), "(1, 2, 3)");
  EXPECT_EQ(shown("\x8f(K\x01\x90."), "set(1)");
  EXPECT_EQ(shown("(K\x01\x91."), "set(1)");
  EXPECT_EQ(shown("K\x01K\x02"
                  "0."),
            "1");
  EXPECT_EQ(shown("K\x05(K\x02K\x03"
                  "1."),
            "5");
  EXPECT_EQ(shown("K\x01"
                  "2\x86."),
            "(1, 1)");
  EXPECT_EQ(shown("K\x01q\x07h\x07\x86."), "(1, 1)");
  EXPECT_EQ(shown("K\x01p9\ng9\n\x86."), "(1, 1)");
  EXPECT_EQ(shown("K\x01r\x07\0\0\0j\x07\0\0\0\x86."s), "(1, 1)");
  EXPECT_EQ(shown("K\x01\x94h\x00\x86."s), "(1, 1)");
  EXPECT_EQ(shown("\x80\x04\x95\x03\0\0\0\0\0\0\0K\x01."s), "1");
}

TEST(Pickle, AListThatHoldsItselfIsOneValue) {
  const auto pickle = read(
      "]q\x00h\x00"
      "a."s);
  ASSERT_TRUE(pickle);
  EXPECT_EQ(pickle.value().top().items, std::vector<PickleId>{pickle.value().root});
}

TEST(Pickle, AllowedNamesAreKeptAndOrderedDictsAreDicts) {
  EXPECT_EQ(shown("ccollections\nOrderedDict\n."), "<collections.OrderedDict>");
  EXPECT_EQ(shown("\x8c\x0b"
                  "collections\x8c\x0bOrderedDict\x93."),
            "<collections.OrderedDict>");
  EXPECT_EQ(shown("ccollections\nOrderedDict\n)RK\x01K\x02s}b."), "{1, 2}");
  EXPECT_EQ(shown("ccollections\nOrderedDict\n(](K\x01K\x02l"
                  "at\x52."),
            "{1, 2}");
  EXPECT_EQ(shown("ccollections\nOrderedDict\n)\x81."), "{}");
  EXPECT_EQ(shown("K\x01Q."), "persistent(1)");
  EXPECT_EQ(shown("Pabc\n."), "persistent('abc')");
}

TEST(Pickle, TheBytesAfterItsStopAreLeftAlone) {
  const auto pickle = read("K\x01.K\x02.");
  ASSERT_TRUE(pickle);
  EXPECT_EQ(pickle.value().size, 3U);
}

TEST(Pickle, NamesThatAreNotAllowedAreRefusedByName) {
  const auto refused = read("cos\nsystem\n(S'echo'\ntR.");
  ASSERT_FALSE(refused);
  EXPECT_EQ(to_string(refused.error()),
            "error: 'x.pkl' is refused: it asks for os.system\n"
            "  note: at byte 0 of its pickle; nothing was called\n"
            "  note: only tensors and plain values are loaded\n"
            "  hint: in Python, torch.save(model.state_dict(), 'weights.pt') writes a file of "
            "those\n");
  expect_refused(
      "\x80\x04\x8c\x08"
      "builtins\x8c\x04"
      "eval\x93\x8c\x01x\x85R.",
      "refused: it asks for builtins.eval");
  expect_refused("(S'x'\nios\nsystem\n.", "refused: it asks for os.system");
  expect_refused("cos\nsys\x1b[2J\n.", "refused: it asks for os.sys?[2J");
}

TEST(Pickle, CallsOfAnythingButANameAreRefused) {
  const std::string why = "refused: it calls something that is not a plain name";
  expect_refused("K\x01Q)R.", why);                         // a persistent id
  expect_refused("ccollections\nOrderedDict\n)R)R.", why);  // the result of a call
  expect_refused("(ccollections\nOrderedDict\n)R)o.", why);
  expect_refused("\x82\x01.", "refused: it asks for a registered extension");
}

TEST(Pickle, NestingIsLimited) {
  const std::string deep = std::string(100'000, ']') + std::string(99'999, 'a') + ".";
  expect_refused(deep, "refused: its values are nested deeper than 200");
  expect_refused(")" + std::string(100'000, '\x85') + ".",
                 "refused: its values are nested deeper than 200");
  EXPECT_TRUE(read(std::string(199, ']') + std::string(198, 'a') + "."));
}

TEST(Pickle, MemoBombsCostNoMoreThanTheirBytes) {
  std::string bomb =
      "](K\x01K\x02"
      "eq\x00"s;
  for (char level = 1; level < 50; ++level) {
    bomb += "](";
    for (int i = 0; i < 10; ++i) bomb += {'h', static_cast<char>(level - 1)};
    bomb += {'e', 'q', level};
  }
  const auto pickle = read(bomb + ".");
  ASSERT_TRUE(pickle) << to_string(pickle.error());
  EXPECT_LT(pickle.value().values.size(), 200U);
}

TEST(Pickle, EverythingThatGrowsIsLimited) {
  const PickleLimits few = {.values = 10, .depth = 200};
  expect_refused("(" + std::string(20, 'N') + "t.", "refused: its pickle makes more than 10 values",
                 few);
  expect_refused("N" + std::string(20, '2') + ".",
                 "refused: its pickle makes more than 10 values on its stack", few);
  expect_refused("N" + std::string(20, '\x94') + ".",
                 "refused: its pickle makes more than 10 entries in its memo", few);
  expect_refused(std::string(20, '('), "refused: its pickle makes more than 10 marks", few);
  std::string repeats = "]q\x00N"s;
  for (int i = 0; i < 50; ++i) repeats += "0h\x00Na"s;
  expect_refused(repeats + ".", "refused: its pickle makes more than 10 values", few);
}

TEST(Pickle, BrokenPicklesSayWhatIsWrong) {
  const auto why = [](const std::string& bytes) {
    const auto pickle = read(bytes);
    return pickle ? ""
                  : pickle.error().what.substr(
                        std::string("'x.pkl' is not a readable pickle: ").size());
  };
  EXPECT_EQ(why(""), "it ends before its STOP");
  EXPECT_EQ(why("X\xff\xff\xff\xff"), "it ends in the middle: 4294967295 bytes needed, 0 left");
  EXPECT_EQ(why("\x8e" + std::string(8, '\xff')),
            "it ends in the middle: 18446744073709551615 bytes needed, 0 left");
  EXPECT_EQ(why("I12"), "it ends in the middle of a line");
  EXPECT_EQ(why("Itwo\n."), "'two' is no whole number");
  EXPECT_EQ(why("Ftwo\n."), "'two' is no number");
  EXPECT_EQ(why("Sabc\n."), "'abc' is no text of protocol 0");
  EXPECT_EQ(why("V\\ud800\n."), "'\\ud800' is no text of protocol 0");
  EXPECT_EQ(why("X\x01\0\0\0\xff."s), "a text is not UTF-8");
  EXPECT_EQ(why("."), "it takes a value where there is none");
  EXPECT_EQ(why("K\x01(."), "it takes a value where there is none");
  EXPECT_EQ(why("t."), "it goes back to a mark that was never set");
  EXPECT_EQ(why("K\x01"
                "1."),
            "it goes back to a mark that was never set");
  EXPECT_EQ(why("h\x05."), "memo 5 is read before it is written");
  EXPECT_EQ(why("Np-1\n."), "'-1' is no index of the memo");
  EXPECT_EQ(why("NNa."), "it appends to something that is no list");
  EXPECT_EQ(why("NNNs."), "it sets items of something that is no dict");
  EXPECT_EQ(why("}(Nu."), "a dict has a key without a value");
  EXPECT_EQ(why("(Nd."), "a dict has a key without a value");
  EXPECT_EQ(why("NNb."), "it sets the state of a plain value");
  EXPECT_EQ(why("ccollections\nOrderedDict\nNR."), "the arguments of a call are no tuple");
  EXPECT_EQ(why("NN\x93."), "it asks for a name that is no text");
  EXPECT_EQ(why("\x80\x09."), "it is of protocol 9; protocols 0 to 5 are read");
  EXPECT_EQ(why("\x97."), "it keeps bytes outside of itself");
  EXPECT_EQ(why("\xfe."), "0xfe is no opcode");
}

}  // namespace
}  // namespace chop
