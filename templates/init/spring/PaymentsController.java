package shop;

import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** Publishes an event for each callback, once, which beans handle with {@code @EventListener}. */
@RestController
public class PaymentsController {
  /** @param body all fields of the callback */
  public record PaymentReceived(String reference, String status, Map<String, Object> body) {}

  private final PaymentsReceiver receiver;

  PaymentsController(@Value("${payments.webhook-secret:}") String secret, ApplicationEventPublisher events) {
    receiver = new PaymentsReceiver(secret, text -> {
      Map<String, Object> body = JsonParserFactory.getJsonParser().parseMap(text);
      events.publishEvent(new PaymentReceived((String) body.get("external_reference"), (String) body.get("status"), body));
    });
  }

  @PostMapping("/callbacks/payments")
  ResponseEntity<Void> callback(@RequestHeader HttpHeaders headers, @RequestBody byte[] body) {
    return ResponseEntity.status(receiver.receive(headers::getFirst, body)).build();
  }
}
