package payments.sandbox;

import java.util.List;

/** Phone numbers and accounts that trigger a scenario. */
record TestNumbers(List<Json> values, List<Json> outcomes) {
  static TestNumbers in(Scenarios scenarios) {
    return new TestNumbers(scenarios.testNumbers(), scenarios.list());
  }

  /** @throws IllegalArgumentException with the valid names */
  String phone(String scenario, String country) {
    return one(value(scenario).get("numbers").items(), "country", country, "no number of ").get("local").asText();
  }

  String account(String scenario) {
    return value(scenario).get("account").asText();
  }

  private Json value(String scenario) {
    String name = outcomes.stream()
        .filter(each -> each.get("aliases").items().stream().anyMatch(alias -> alias.asText().equals(scenario)))
        .findFirst()
        .map(each -> each.get("name").asText())
        .orElse(scenario);
    return one(values, "scenario", name, "no number means ");
  }

  private static Json one(List<Json> all, String field, String wanted, String missing) {
    return all.stream()
        .filter(each -> each.get(field).asText().equals(wanted))
        .findFirst()
        .orElseThrow(() -> {
          List<String> known = all.stream().map(each -> each.get(field).asText()).toList();
          return new IllegalArgumentException(missing + wanted + Words.suggestion(wanted, known));
        });
  }
}
