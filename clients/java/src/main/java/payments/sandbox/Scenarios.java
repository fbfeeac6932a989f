package payments.sandbox;

import static payments.sandbox.Connection.accepted;
import static payments.sandbox.Connection.part;

import java.util.List;
import java.util.Map;

/** What shall happen to requests: the scenarios that come with the sandbox, and those of this world. */
public final class Scenarios {
  private static final String ALL = "/sandbox/scenarios";

  private final Connection connection;

  Scenarios(Connection connection) {
    this.connection = connection;
  }

  /** It happens to every request that it fits, until it is switched off. */
  public void on(String name) {
    connection.ask("PATCH", at(name), Map.of("on", true));
  }

  public void off(String name) {
    connection.ask("PATCH", at(name), Map.of("on", false));
  }

  /** It happens to the next request that it fits. */
  public void next(String name) {
    next(name, 1);
  }

  public void next(String name, int times) {
    connection.ask("POST", at(name) + "/queue", Map.of("times", times));
  }

  /**
   * Puts one of this world's own.
   *
   * @param file as maps: {@code Map.of("title", "Slow", "then", Map.of("settle", Map.of("after", "3h")))}
   * @throws SandboxException 400 with the nearest right word
   */
  public Json put(String name, Map<String, ?> file) {
    return connection.ask("PUT", at(name), file).get("scenario");
  }

  /** The same as the text of a YAML file. */
  public Json put(String name, String yaml) {
    Answer answer = connection.send("PUT", at(name), yaml, Map.of(), Map.of("Content-Type", "application/yaml"));
    return accepted("PUT", at(name), answer).json().get("scenario");
  }

  /** What is wrong in one, without putting it. */
  public List<Json> check(Map<String, ?> file) {
    return connection.ask("POST", ALL + "/check", file).get("issues").items();
  }

  public Json get(String name) {
    return connection.ask("GET", at(name)).get("scenario");
  }

  public List<Json> list() {
    return connection.ask("GET", ALL).get("scenarios").items();
  }

  /** Takes the world's own away; one of the sandbox's of that name counts again. */
  public void delete(String name) {
    connection.ask("DELETE", at(name));
  }

  /** Forgets all that is on, queued, counted and put. */
  public void reset() {
    connection.ask("DELETE", ALL);
  }

  /** The endings of phone numbers and accounts that choose a scenario. */
  public List<Json> testNumbers() {
    return connection.ask("GET", "/sandbox/test-numbers").get("test_numbers").items();
  }

  private static String at(String name) {
    return ALL + "/" + part(name);
  }
}
