package payments.sandbox.junit;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;
import payments.sandbox.NoSandboxException;
import payments.sandbox.Sandbox;
import payments.sandbox.World;

/** What {@link PaymentsSandbox} does. */
public final class PaymentsSandboxExtension implements ParameterResolver, AfterEachCallback {
  private static final Namespace OURS = Namespace.create(PaymentsSandboxExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == World.class || type == Sandbox.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    if (parameter.getParameter().getType() == Sandbox.class) return sandbox(context);
    return context.getStore(OURS).getOrComputeIfAbsent(World.class, key -> new HeldWorld(made(context)), HeldWorld.class).world;
  }

  /** Shows what happened in the world of a test that failed, and leaves that world where the sandbox is. */
  @Override
  public void afterEach(ExtensionContext context) {
    HeldWorld held = context.getStore(OURS).get(World.class, HeldWorld.class);
    if (held == null || context.getExecutionException().isEmpty()) return;
    held.failed = true;
    System.err.println(told(context.getDisplayName(), held.world));
  }

  private static String told(String test, World world) {
    String headline = "---- payments sandbox, world " + world.id() + " of " + test + " ----\n";
    try {
      return headline + world.story() + "\n\nOpen " + world.url() + "/dashboard as " + world.username() + " / " + world.password()
          + " while the sandbox runs.\n";
    } catch (RuntimeException error) {
      // Never in the way of the test's own failure.
      return headline + "What happened there could not be read: " + error.getMessage();
    }
  }

  private static Sandbox sandbox(ExtensionContext context) {
    ExtensionContext.Store store = context.getRoot().getStore(OURS);
    if (store.get(NoSandboxException.class) != null)
      throw new ExtensionConfigurationException("there is no sandbox: the first failure of this run lists the remedies");
    try {
      return store.getOrComputeIfAbsent(Sandbox.class, key -> new HeldSandbox(Sandbox.start()), HeldSandbox.class).sandbox();
    } catch (NoSandboxException none) {
      store.put(NoSandboxException.class, true);
      throw none;
    }
  }

  private static World made(ExtensionContext context) {
    Map<String, Object> how = new LinkedHashMap<>();
    String name = context.getDisplayName();
    how.put("name", name.substring(0, Math.min(name.length(), 64)));
    Optional<PaymentsSandbox> told = context.getElement()
        .flatMap(element -> AnnotationSupport.findAnnotation(element, PaymentsSandbox.class))
        .or(() -> context.getTestClass().flatMap(type -> AnnotationSupport.findAnnotation(type, PaymentsSandbox.class)));
    told.ifPresent(each -> {
      how.put("clock", clock(each.clock()));
      if (each.settings().length > 0) how.put("settings", settings(each.settings()));
    });
    return sandbox(context).world(how);
  }

  private static Map<String, Object> clock(String clock) {
    if (clock.equals("frozen")) return Map.of("speed", 0);
    if (clock.equals("real")) return Map.of("speed", 1);
    if (clock.matches("\\d{4}-.*")) return Map.of("at", clock);
    throw new ExtensionConfigurationException("@PaymentsSandbox(clock = \"" + clock + "\"): frozen, real or a time such as 2027-01-01T00:00:00Z");
  }

  private static Map<String, Object> settings(String[] lines) {
    Map<String, Object> settings = new LinkedHashMap<>();
    for (String line : lines) {
      String[] both = line.split("=", 2);
      if (both.length < 2) throw new ExtensionConfigurationException("@PaymentsSandbox(settings): \"" + line + "\" is not name=value");
      boolean isNumber = both[1].matches("-?\\d+(\\.\\d+)?");
      settings.put(both[0].trim(), isNumber ? (Object) new BigDecimal(both[1]) : both[1].trim());
    }
    return settings;
  }

  /** Ends with the test, or the class, whose it is. The older interface, so that JUnit before 5.13 closes it, too. */
  @SuppressWarnings("deprecation")
  private static final class HeldWorld implements ExtensionContext.Store.CloseableResource, AutoCloseable {
    private final World world;
    private boolean failed;

    private HeldWorld(World world) {
      this.world = world;
    }

    @Override
    public void close() {
      if (!failed) world.close();
    }
  }

  @SuppressWarnings("deprecation")
  private record HeldSandbox(Sandbox sandbox) implements ExtensionContext.Store.CloseableResource, AutoCloseable {
    @Override
    public void close() {
      sandbox.close();
    }
  }
}
