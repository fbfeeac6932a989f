package payments.sandbox;

import java.util.List;
import java.util.Map;

/** A receiver within the sandbox, for who has none: the one behind {@link World#inboxUrl}. */
public final class Inbox {
  private static final String DEFAULT = "/sandbox/inbox/default";

  private final Connection connection;

  Inbox(Connection connection) {
    this.connection = connection;
  }

  /** What came, the newest first, with whether its signature holds. */
  public List<Json> messages() {
    return connection.all(DEFAULT, "messages", Map.of("limit", 100));
  }

  /** What it answers, one after another, such as {@code 500, "timeout", 200}; the last one stays. */
  public void respond(Object... responses) {
    connection.ask("PUT", DEFAULT, Map.of("responses", List.of(responses)));
  }

  public void clear() {
    connection.ask("DELETE", DEFAULT);
  }
}
