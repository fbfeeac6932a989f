package payments.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import payments.sandbox.junit.PaymentsSandbox;

/** Every operation of the descriptions, as the tests of every client call it. */
@PaymentsSandbox
class CallsTest {
  @Test
  void everyOperationGetsItsResponse(World world) throws Exception {
    try (InputStream list = CallsTest.class.getResourceAsStream("/calls.json")) {
      Assumptions.assumeTrue(list != null, "clients/java/run puts the list there");
      for (Json call : Json.parse(new String(list.readAllBytes())).items()) {
        Map<String, Object> parameters = new LinkedHashMap<>();
        for (String name : call.get("parameters").names()) parameters.put(name, call.get("parameters", name).asText());
        String operation = call.get("operation").asText();
        String code = "";
        try {
          world.call(operation, parameters, call.has("body") ? call.get("body").value() : null);
        } catch (SandboxException refused) {
          code = refused.code();
        }
        assertEquals(call.get("code").asText(), code, operation);
      }
    }
  }
}
