package payments.sandbox;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Starts a sandbox, or connects to a running one. */
final class Starter {
  private static final String IMAGE = "payments-sandbox";
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final Pattern ADDRESS = Pattern.compile("https?://127\\.0\\.0\\.1:\\d+");
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");
  private static final String HOW = """

      Any of these will do:
        PAYMENTS_SANDBOX_URL=http://127.0.0.1:8080   one that runs already (PAYMENTS_SANDBOX_USERNAME and _PASSWORD when it is not demo/demo)
        PAYMENTS_SANDBOX_COMMAND='npx --no -- payments-sandbox'   a command that starts one
        PAYMENTS_SANDBOX_IMAGE=payments-sandbox   an image, for Testcontainers, docker or podman
        npm install --save-dev ./payments-sandbox-0.1.0.tgz   the command where it is found by itself
        docker build -t payments-sandbox .   the image where it is found by itself""";

  private final Map<String, String> environment;
  private final Map<String, String> settings;

  Starter(Map<String, String> environment, Map<String, String> settings) {
    this.environment = environment;
    this.settings = settings;
  }

  Sandbox start() {
    String url = environment.get("PAYMENTS_SANDBOX_URL");
    String command = environment.get("PAYMENTS_SANDBOX_COMMAND");
    String image = environment.get("PAYMENTS_SANDBOX_IMAGE");
    if (url != null) {
      if (!url.matches("https?://[^/].*"))
        throw new NoSandboxException("PAYMENTS_SANDBOX_URL must be an address such as http://127.0.0.1:8080, got \"" + url + "\"");
      String username = environment.getOrDefault("PAYMENTS_SANDBOX_USERNAME", "demo");
      return new Sandbox(url, username, environment.getOrDefault("PAYMENTS_SANDBOX_PASSWORD", "demo"), false, () -> {});
    }
    if (command != null) return byCommand(words(command));
    if (image != null && hasTestcontainers()) return InContainer.start(image, settings);
    if (image != null)
      return byEngine(engines().findFirst().orElseThrow(() -> new NoSandboxException(
          "PAYMENTS_SANDBOX_IMAGE is " + image + ", and neither Testcontainers nor docker nor podman answers." + HOW)), image);
    Optional<String> installed = installed();
    if (installed.isPresent()) return byCommand(List.of(installed.get()));
    return engines()
        .filter(engine -> output(engine, "image", "inspect", IMAGE).isPresent())
        .findFirst()
        .map(engine -> byEngine(engine, IMAGE))
        .orElseThrow(() -> new NoSandboxException("there is no sandbox: no payments-sandbox on the PATH or in node_modules, no image "
            + IMAGE + " of docker or podman." + HOW));
  }

  /** Splits a command into words; quotes group words with spaces. */
  static List<String> words(String command) {
    return WORD.matcher(command).results()
        .map(each -> Stream.of(1, 2, 3).map(each::group).filter(word -> word != null).findFirst().orElseThrow())
        .toList();
  }

  /** Starts it on a free port. */
  private Sandbox byCommand(List<String> command) {
    String said = String.join(" ", command);
    try {
      // A file, because an unread pipe would block the process.
      Path printed = Files.createTempFile("payments-sandbox", ".log");
      printed.toFile().deleteOnExit();
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(printed.toFile());
      // If this runs in a container, the receivers of the tests run in the same one.
      builder.environment().putIfAbsent("SANDBOX_IN_CONTAINER", "off");
      builder.environment().putAll(Map.of("SANDBOX_PORT", "0", "SANDBOX_HOST", "127.0.0.1", "SANDBOX_LOG_LEVEL", "warn"));
      builder.environment().putAll(settings);
      Process process = builder.start();
      Runnable stop = ending(process);
      for (long end = System.nanoTime() + PATIENCE.toNanos(); System.nanoTime() < end && process.isAlive(); pause()) {
        Matcher found = ADDRESS.matcher(Files.readString(printed));
        if (found.find() && isReady(found.group())) return new Sandbox(found.group(), "demo", "demo", false, stop);
      }
      String when = process.isAlive() ? " within " + PATIENCE.toSeconds() + " s" : "";
      stop.run();
      throw new NoSandboxException(said + " started no sandbox" + when + ". It said:\n" + Files.readString(printed));
    } catch (IOException error) {
      throw new NoSandboxException(said + " could not be started: " + error.getMessage() + HOW, error);
    }
  }

  /** Starts a container on a free port, so that it reaches receivers on this machine. */
  private Sandbox byEngine(String engine, String image) {
    List<String> run = new ArrayList<>(List.of(engine, "run", "--rm", "--detach", "--publish", "127.0.0.1::8080"));
    Map<String, String> told = new HashMap<>(settings);
    // Docker on Linux needs the host name; Podman defines one.
    if (engine.endsWith("podman")) told.putIfAbsent("SANDBOX_CALLBACK_REWRITE", "localhost=host.containers.internal");
    else run.addAll(List.of("--add-host", "host.docker.internal:host-gateway"));
    told.forEach((name, value) -> run.addAll(List.of("--env", name + "=" + value)));
    run.add(image);
    String container = output(run.toArray(String[]::new))
        .orElseThrow(() -> new NoSandboxException(String.join(" ", run) + " failed." + HOW));
    Runnable stop = () -> output(engine, "stop", "--time", "3", container);
    for (long end = System.nanoTime() + PATIENCE.toNanos(); System.nanoTime() < end; pause()) {
      String port = output(engine, "port", container, "8080/tcp").orElseThrow(() ->
          new NoSandboxException("the container of " + image + " ended before it was ready"));
      String url = "http://127.0.0.1:" + port.lines().findFirst().orElse("").replaceAll(".*:", "");
      if (isReady(url)) return new Sandbox(url, "demo", "demo", true, stop);
    }
    stop.run();
    throw new NoSandboxException("the container of " + image + " was not ready within " + PATIENCE.toSeconds() + " s");
  }

  /** Returns the installed command, if any. Nothing is downloaded. */
  private Optional<String> installed() {
    Stream<Path> above = Stream.iterate(Path.of("").toAbsolutePath(), folder -> folder != null, Path::getParent);
    return Stream.concat(path(), above.map(folder -> folder.resolve("node_modules/.bin")))
        .map(folder -> folder.resolve("payments-sandbox"))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst();
  }

  /** Returns the engines that respond: docker is often installed without its daemon. */
  private Stream<String> engines() {
    return Stream.of("docker", "podman")
        .flatMap(name -> path().map(folder -> folder.resolve(name)).filter(Files::isExecutable).limit(1))
        .map(Path::toString)
        .filter(engine -> output(engine, "ps", "--quiet").isPresent());
  }

  private Stream<Path> path() {
    return Stream.of(environment.getOrDefault("PATH", "").split(File.pathSeparator)).filter(each -> !each.isEmpty()).map(Path::of);
  }

  private static boolean hasTestcontainers() {
    try {
      Class.forName("org.testcontainers.containers.GenericContainer", false, Starter.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException absent) {
      return false;
    }
  }

  /** Returns the output; empty if the command failed. */
  private static Optional<String> output(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      String printed = new String(process.getInputStream().readAllBytes()).trim();
      return process.waitFor() == 0 ? Optional.of(printed) : Optional.empty();
    } catch (IOException absent) {
      return Optional.empty();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static boolean isReady(String url) {
    try {
      return new Connection(url, "", "").send("GET", "/readyz", null, Map.of(), Map.of()).status() == 200;
    } catch (RuntimeException notYet) {
      return false;
    }
  }

  /** Stops the process and its children, because npx and shells do not always stop theirs. Also runs when the tests are interrupted. */
  private static Runnable ending(Process process) {
    Runnable end = () -> {
      List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
      all.forEach(ProcessHandle::destroy);
      all.forEach(each -> each.onExit().orTimeout(10, TimeUnit.SECONDS).exceptionally(late -> {
        each.destroyForcibly();
        return each;
      }).join());
    };
    Thread atExit = new Thread(end);
    Runtime.getRuntime().addShutdownHook(atExit);
    return end;
  }

  private static void pause() {
    try {
      Thread.sleep(50);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new NoSandboxException("interrupted while the sandbox started", interrupted);
    }
  }
}
