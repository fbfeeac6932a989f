package payments.sandbox;

import java.util.List;
import java.util.Map;

/** An inbox, a test receiver inside the sandbox, with the address {@link World#inboxUrl}. */
public final class Inbox {
  private static final String DEFAULT = "/sandbox/inbox/default";

  private final Connection connection;

  Inbox(Connection connection) {
    this.connection = connection;
  }

  /** Returns the received messages, newest first, with the results of signature checks. */
  public List<Json> messages() {
    return connection.all(DEFAULT, "messages", Map.of("limit", 100));
  }

  /** Scripts the next responses, such as {@code 500, "timeout", 200}; the last one repeats. */
  public void respond(Object... responses) {
    connection.ask("PUT", DEFAULT, Map.of("responses", List.of(responses)));
  }

  public void clear() {
    connection.ask("DELETE", DEFAULT);
  }
}
