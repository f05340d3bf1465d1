// The renderer of report/dot.hpp: graphviz as a library.
#include "report/dot.hpp"
#include "support/text.hpp"

#ifdef CH_HAS_GRAPHVIZ
#include <gvc.h>
#endif

namespace chop::report {

#ifdef CH_HAS_GRAPHVIZ
namespace {

/// Collects graphviz's messages, which it would otherwise print.
thread_local std::string complaints;  // NOLINT: graphviz's callback takes no context

int keep_complaint(char* text) {
  complaints += text;
  return 0;
}

/// One for the whole process: the text plugin keeps pointers to fonts of the context it last
/// measured with, and looks at them again in the next one.
GVC_t* shared_context() {
  static GVC_t* const context = gvContext();
  return context;
}

/// The graph and its layout, freed in the right order.
class Drawing {
 public:
  explicit Drawing(const std::string& dot)
      : context_(shared_context()), graph_(agmemread(dot.c_str())) {}
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;
  ~Drawing() {
    if (laid_out_) gvFreeLayout(context_, graph_);
    if (graph_ != nullptr) agclose(graph_);
  }

  bool is_read() const { return context_ != nullptr && graph_ != nullptr; }
  bool lay_out() {
    laid_out_ = gvLayout(context_, graph_, "dot") == 0;
    return laid_out_;
  }
  bool draw(const std::string& format, std::string& out) {
    char* data = nullptr;
    unsigned int length = 0;
    if (gvRenderData(context_, graph_, format.c_str(), &data, &length) != 0 || data == nullptr)
      return false;
    out.assign(data, length);
    gvFreeRenderData(data);
    return true;
  }

 private:
  GVC_t* context_;
  Agraph_t* graph_;
  bool laid_out_ = false;
};

Error refused(std::string_view what) {
  Error error{.what = cat("graphviz could not ", what)};
  for (const std::string& line : split(complaints, '\n'))
    if (!trim(line).empty() && error.notes.size() < 3) error.notes.emplace_back(trim(line));
  error.hint = "`dot -V` shows whether graphviz and its plugins are installed";
  return error;
}

}  // namespace

Result<std::string> render_dot(const std::string& dot, const std::string& format) {
  complaints.clear();
  agseterrf(keep_complaint);
  Drawing drawing(dot);
  if (!drawing.is_read()) return refused("read the graph");
  if (!drawing.lay_out()) return refused("lay out the graph");
  std::string picture;
  if (!drawing.draw(format, picture)) return refused(cat("draw the graph as ", format));
  return picture;
}

bool has_graphviz() {
  return true;
}

#else

Result<std::string> render_dot(const std::string& /*dot*/, const std::string& format) {
  return Error{.what = cat("this ch was built without graphviz and cannot draw ", format),
               .hint = "install libgraphviz-dev and build again, or write a .dot file"};
}

bool has_graphviz() {
  return false;
}

#endif

}  // namespace chop::report
