// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <tileport/contract/validate.hpp>
#include <tileport/contract/verdict.hpp>

using nlohmann::json;
using namespace tileport::contract;

namespace {

const std::string kName = "softmax_kernel__0123456789";

json evidence(const std::string& code_class) {
  return {{"class", code_class},
          {"instructions", {10, 10}},
          {"registers", {8, 8}},
          {"shared_bytes", {0, 0}},
          {"notes", json::array()}};
}

json specialization(const std::string& name, const std::string& ir, const std::string& sm_90,
                    const std::string& sm_100) {
  return {{"name", name},
          {"variant", name},
          {"entry", name},
          {"generics", json::object()},
          {"kernel_sha256", std::string(64, 'a')},
          {"ir", {{"class", ir}, {"notes", json::array()}, {"findings", json::array()}}},
          {"code", {{"sm_90", evidence(sm_90)}, {"sm_100", evidence(sm_100)}}},
          {"unseen", nullptr},
          {"cpu", nullptr},
          {"tests", nullptr},
          {"timing", nullptr}};
}

json proof(const std::string& verdict = "proven") {
  return {{"schema", "tileport/proof/1"},
          {"op", "softmax"},
          {"toolchain",
           {{"tileport", "0.1.0"},
            {"cutile", "0.5.0"},
            {"cuda_tile", "1.7.0"},
            {"tilegym", nullptr},
            {"torch", nullptr},
            {"tileiras", "13.5.37"},
            {"bytecode", "13.3"}}},
          {"targets", {"sm_90", "sm_100"}},
          {"requires", json::array()},
          {"check", {{"class", "accepted"}, {"diagnostics", json::array()}}},
          {"specializations", {specialization(kName, "equal_up_to", "identical", "identical")}},
          {"verdict", verdict},
          {"gpu", "pending"}};
}

json row() {
  return {{"name", kName},
          {"op", "softmax"},
          {"kernel", "softmax_kernel"},
          {"source", "tilegym/ops/cutile/softmax.py"},
          {"line", 12},
          {"symbol", "softmax_kernel_Kt1"},
          {"signature", {{{"name", "x"}, {"kind", "array"}}}},
          {"constants", json::object()},
          {"dtypes", {{"x", "float32"}}},
          {"arg_kinds", {{"x", "array"}}},
          {"argument_facts", json::array()},
          {"hints", json::object()},
          {"grid", {{4, 1, 1}}},
          {"device_model", {"b200"}},
          {"tests", {"test_softmax"}},
          {"sha256", std::string(64, '0')}};
}

json index() {
  return {{"schema", "tileport/index/1"},
          {"op", "softmax"},
          {"toolchain",
           {{"cuda_tile", "1.7.0"},
            {"tileiras", "13.5.37"},
            {"tilegym", "1.5.1"},
            {"torch", "2.15.0"},
            {"bytecode", "13.3"}}},
          {"specializations", {row()}}};
}

/// The one diagnostic that a document must bring.
void refused(const std::string& schema, const json& document, const std::string& code,
             const std::string& pointer) {
  const auto result = validate(schema, document.dump(), "some.json");
  INFO(document.dump(1));
  REQUIRE_FALSE(result.has_value());
  for (const auto& diagnostic : result.error()) INFO(to_string(diagnostic));
  REQUIRE(result.error().size() == 1);
  CHECK(result.error()[0].code == code);
  CHECK(result.error()[0].place.path == pointer);
  CHECK(result.error()[0].place.file == "some.json");
}

void refused_proof(const std::string& code, const std::string& pointer,
                   const std::function<void(json&)>& spoil) {
  json document = proof();
  spoil(document);
  refused("tileport/proof/1", document, code, pointer);
}

void refused_index(const std::string& code, const std::string& pointer,
                   const std::function<void(json&)>& spoil) {
  json document = index();
  spoil(document);
  refused("tileport/index/1", document, code, pointer);
}

}  // namespace

TEST_CASE("contract: good documents pass") {
  CHECK(validate("tileport/proof/1", proof().dump()).has_value());
  CHECK(validate("tileport/index/1", index().dump()).has_value());

  json pending = proof();
  pending["check"] = nullptr;
  pending["verdict"] = nullptr;
  for (const char* part : {"variant", "entry", "generics", "kernel_sha256", "ir", "code"})
    pending["specializations"][0][part] = nullptr;
  CHECK(validate("tileport/proof/1", pending.dump()).has_value());

  json one_side = proof("equivalent");
  one_side["specializations"][0]["code"]["sm_100"] = {{"class", "differs"},
                                                      {"instructions", {10, nullptr}},
                                                      {"registers", {8, nullptr}},
                                                      {"shared_bytes", {0, nullptr}},
                                                      {"notes", {"the port does not assemble"}}};
  CHECK(validate("tileport/proof/1", one_side.dump()).has_value());
}

TEST_CASE("contract: the schemas are embedded and are draft 7") {
  CHECK(schema_names() ==
        std::vector<std::string>{"tileport/dispatch/1", "tileport/index/1", "tileport/proof/1"});
  for (const auto& name : schema_names()) {
    const auto text = schema_text(name);
    REQUIRE(text.has_value());
    const json schema = json::parse(*text);
    CHECK(schema["$schema"] == "http://json-schema.org/draft-07/schema#");
    CHECK(schema["$id"] == name);
  }
  const auto missing = schema_text("tileport/proof/2");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error()[0].code == "TP-J0002");
}

TEST_CASE("contract: what is no JSON is placed by line and column") {
  const auto result = validate("tileport/index/1", "{\"schema\": 1,\n  oops}", "x.json");
  REQUIRE_FALSE(result.has_value());
  const auto& diagnostic = result.error().at(0);
  CHECK(diagnostic.code == "TP-J0001");
  CHECK(diagnostic.place.line == 2);
  CHECK(diagnostic.place.column == 3);
  CHECK(diagnostic.place.offset == 16);
  CHECK(to_string(diagnostic).rfind("x.json:2:3: error: not a JSON document", 0) == 0);

  for (const char* text : {"", "{", "[1,]", "{\"a\": 1e999}", "nul", "{} {}", "\xff"}) {
    INFO(text);
    const auto bad = validate("tileport/index/1", text);
    REQUIRE_FALSE(bad.has_value());
    CHECK(bad.error().at(0).code == "TP-J0001");
  }
}

TEST_CASE("contract: what the proof's schema forbids is named with its place") {
  refused_proof("TP-J0003", "", [](json& d) { d.erase("gpu"); });
  refused_proof("TP-J0003", "", [](json& d) { d["extra"] = 1; });
  refused_proof("TP-J0003", "/schema", [](json& d) { d["schema"] = "tileport/proof/2"; });
  refused_proof("TP-J0003", "/gpu", [](json& d) { d["gpu"] = "maybe"; });
  refused_proof("TP-J0003", "/op", [](json& d) { d["op"] = "../softmax"; });
  refused_proof("TP-J0003", "/toolchain", [](json& d) { d["toolchain"].erase("tileiras"); });
  refused_proof("TP-J0003", "/toolchain/bytecode", [](json& d) { d["toolchain"]["bytecode"] = 13.3; });
  refused_proof("TP-J0003", "/targets/1", [](json& d) { d["targets"][1] = "gfx90"; });
  refused_proof("TP-J0003", "/specializations", [](json& d) { d["specializations"] = json::object(); });
  refused_proof("TP-J0003", "/specializations/0/name",
                [](json& d) { d["specializations"][0]["name"] = "softmax"; });
  refused_proof("TP-J0003", "/specializations/0/ir/class",
                [](json& d) { d["specializations"][0]["ir"]["class"] = "same"; });
  refused_proof("TP-J0003", "/specializations/0/code",
                [](json& d) { d["specializations"][0]["code"]["default"] = evidence("identical"); });
  refused_proof("TP-J0003", "/specializations/0/code/sm_90/instructions",
                [](json& d) { d["specializations"][0]["code"]["sm_90"]["instructions"] = {1, 2, 3}; });
  refused_proof("TP-J0003", "/specializations/0/code/sm_90/registers/1",
                [](json& d) { d["specializations"][0]["code"]["sm_90"]["registers"][1] = -1; });
  refused_proof("TP-J0003", "/specializations/0/timing",
                [](json& d) { d["specializations"][0]["timing"] = "fast"; });
  refused_proof("TP-J0003", "/specializations/0/ir/notes/0/count", [](json& d) {
    d["specializations"][0]["ir"]["notes"] = {{{"rule", "dead constant"}, {"count", 0}, {"message", ""}}};
  });
}

TEST_CASE("contract: what the index's schema forbids is named with its place") {
  refused_index("TP-J0003", "/specializations/0", [](json& d) { d["specializations"][0].erase("sha256"); });
  refused_index("TP-J0003", "/specializations/0", [](json& d) { d["specializations"][0]["colour"] = "red"; });
  refused_index("TP-J0003", "/specializations/0/line", [](json& d) { d["specializations"][0]["line"] = 0; });
  refused_index("TP-J0003", "/specializations/0/grid/0",
                [](json& d) { d["specializations"][0]["grid"] = {{4, 1}}; });
  refused_index("TP-J0003", "/specializations/0/device_model/0",
                [](json& d) { d["specializations"][0]["device_model"] = {"a100"}; });
  refused_index("TP-J0003", "/specializations/0/signature/0/kind",
                [](json& d) { d["specializations"][0]["signature"][0]["kind"] = "pointer"; });
  refused_index("TP-J0003", "/specializations/0/signature/0",
                [](json& d) { d["specializations"][0]["signature"][0].erase("name"); });
  refused_index("TP-J0003", "/specializations/0/signature/0",
                [](json& d) { d["specializations"][0]["signature"][0]["colour"] = "red"; });
  refused_index("TP-J0003", "/specializations/0/sha256",
                [](json& d) { d["specializations"][0]["sha256"] = std::string(64, 'A'); });
  refused_index("TP-J0003", "/specializations/0/symbol",
                [](json& d) { d["specializations"][0]["symbol"] = std::string(1 << 20, 'a'); });
}

TEST_CASE("contract: rules beyond the schema") {
  refused_index("TP-J0004", "/specializations/1/name",
                [](json& d) { d["specializations"].push_back(row()); });
  refused_proof("TP-J0004", "/specializations/1/name", [](json& d) {
    d["specializations"].push_back(specialization(kName, "equal", "identical", "identical"));
  });
  refused_proof("TP-J0006", "/specializations/0/code",
                [](json& d) { d["specializations"][0]["code"].erase("sm_100"); });
  refused_proof("TP-J0005", "/verdict", [](json& d) { d["verdict"] = "equivalent"; });
  refused_proof("TP-J0005", "/verdict",
                [](json& d) { d["specializations"][0]["code"]["sm_90"]["class"] = "differs"; });
  refused_proof("TP-J0005", "/verdict", [](json& d) { d["specializations"] = json::array(); });
  refused_proof("TP-J0005", "/verdict", [](json& d) { d["check"]["class"] = "refused"; });

  std::string twice = proof().dump();
  twice.insert(1, "\"gpu\": \"passed\", ");
  const auto result = validate("tileport/proof/1", twice);
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error()[0].code == "TP-J0004");
  CHECK(result.error()[0].message.find("'gpu'") != std::string::npos);
}

TEST_CASE("contract: the verdict of one specialization") {
  using C = CodeClass;
  const auto equal = IrClass::equal;
  const auto up_to = IrClass::equal_up_to;
  const auto differs = IrClass::differs;
  CHECK(verdict_of(equal, {C::identical, C::identical}) == Verdict::proven);
  CHECK(verdict_of(differs, {C::identical, C::identical}) == Verdict::proven);
  CHECK(verdict_of(up_to, {C::identical, C::neither}) == Verdict::proven);
  CHECK(verdict_of(up_to, {C::neither, C::neither}) == Verdict::equivalent);
  CHECK(verdict_of(differs, {C::neither, C::neither}) == Verdict::unproven);
  CHECK(verdict_of(equal, {C::identical, C::differs}) == Verdict::equivalent);
  CHECK(verdict_of(equal, {C::identical, C::timeout}) == Verdict::equivalent);
  CHECK(verdict_of(up_to, {C::timeout, C::timeout}) == Verdict::equivalent);
  CHECK(verdict_of(differs, {C::identical, C::timeout}) == Verdict::unproven);
  CHECK(verdict_of(differs, {C::identical, C::differs}) == Verdict::unproven);
  CHECK(verdict_of(std::nullopt, {C::identical}) == Verdict::unproven);
  CHECK(verdict_of(equal, {}) == Verdict::unproven);
}

TEST_CASE("contract: judging ignores what the proof claims") {
  json document = proof("proven");
  document["specializations"].push_back(specialization("other__0123456789", "equal", "timeout", "identical"));
  auto judgement = judge(document.dump());
  REQUIRE(judgement.has_value());
  CHECK(judgement->verdict == Verdict::equivalent);
  REQUIRE(judgement->specializations.size() == 2);
  CHECK(judgement->specializations[0].verdict == Verdict::proven);
  CHECK(judgement->specializations[1].verdict == Verdict::equivalent);

  document["specializations"].push_back(
      specialization("third__0123456789", "differs", "differs", "identical"));
  CHECK(judge(document.dump())->verdict == Verdict::unproven);
  CHECK_FALSE(judge("{}").has_value());
}
