package payments.sandbox;

import java.util.HashMap;
import java.util.Map;

/** A sandbox that runs, and the worlds in it. */
public final class Sandbox implements AutoCloseable {
  private final Connection connection;
  private final Operations operations;
  private final Reach reach;
  private final Runnable stop;

  /**
   * One that runs.
   *
   * @param inContainer whether it runs in a container on this machine
   * @param stop ends it when it is closed
   */
  public Sandbox(String url, String username, String password, boolean inContainer, Runnable stop) {
    connection = new Connection(url, username, password);
    operations = new Operations(connection);
    reach = new Reach(inContainer);
    this.stop = stop;
  }

  /** The one that runs at this address, with the credentials that it starts with. */
  public static Sandbox at(String url) {
    return new Sandbox(url, "demo", "demo", false, () -> {});
  }

  /**
   * Takes the sandbox at {@code PAYMENTS_SANDBOX_URL}; else starts one by {@code PAYMENTS_SANDBOX_COMMAND}, or in a container of {@code
   * PAYMENTS_SANDBOX_IMAGE}; else by {@code payments-sandbox} where that is installed, by npm too; else of the image {@code payments-sandbox}.
   *
   * @throws NoSandboxException that says what was tried
   */
  public static Sandbox start() {
    return start(Map.of());
  }

  /** @param settings environment variables for one that is started, such as {@code SANDBOX_SETTLE_AFTER} */
  public static Sandbox start(Map<String, String> settings) {
    return new Starter(System.getenv(), settings).start();
  }

  public String url() {
    return connection.url;
  }

  /** A world of one's own, whose clock stands still. */
  public World world() {
    return world(Map.of());
  }

  /** @param how {@code clock}, {@code name}, {@code seed}, {@code populate}, {@code settings}, as {@code POST /sandbox/worlds} takes them */
  public World world(Map<String, ?> how) {
    Map<String, Object> asked = new HashMap<>(how);
    asked.putIfAbsent("clock", Map.of("speed", 0));
    Json made = connection.ask("POST", "/sandbox/worlds", asked);
    Json key = made.get("credentials");
    Connection theirs = new Connection(url(), key.get("username").asText(), key.get("password").asText());
    return new World(theirs, made, operations, reach);
  }

  /** Ends it, when it was started here. */
  @Override
  public void close() {
    stop.run();
  }
}
