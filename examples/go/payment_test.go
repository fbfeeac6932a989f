// Pays against a sandbox, and takes its callbacks, with the standard library alone: go test
package shop

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// isGenuine says whether these very bytes were signed with the secret, in the last five minutes.
func isGenuine(secret string, headers http.Header, body []byte) bool {
	timestamp, err := strconv.ParseInt(headers.Get("webhook-timestamp"), 10, 64)
	if age := time.Now().Unix() - timestamp; err != nil || age > 300 || age < -300 {
		return false
	}
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	own := hmac.New(sha256.New, key)
	fmt.Fprintf(own, "%s.%s.%s", headers.Get("webhook-id"), headers.Get("webhook-timestamp"), body)
	expected := "v1," + base64.StdEncoding.EncodeToString(own.Sum(nil))
	// While a secret is rotated there are several.
	return slices.ContainsFunc(strings.Fields(headers.Get("webhook-signature")), func(sent string) bool {
		return hmac.Equal([]byte(sent), []byte(expected))
	})
}

func TestAPaymentThatSucceedsAndOneThatThePayerCancels(t *testing.T) {
	url := sandbox(t)
	// A world of this test's own, whose clock stands still.
	made := call(t, url, "demo", "demo", "POST", "/sandbox/worlds", object{"clock": object{"speed": 0}})
	key := made["credentials"].(object)
	world := func(method, path string, body any) object {
		return call(t, url, key["username"].(string), key["password"].(string), method, path, body)
	}
	result := object{}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !isGenuine(made["signing_secret"].(string), r.Header, body) {
			t.Errorf("a callback that is not signed: %s", body)
		}
		json.Unmarshal(body, &result)
	}))
	defer receiver.Close()

	// The number's last three digits say what happens.
	for number, want := range map[string]string{"0712345678": "success", "0700000002": "failed"} {
		world("POST", "/api/v2/payments", object{"account_id": 63, "amount": 100, "phone_number": number, "provider": "m-pesa",
			"network_code": "63902", "external_reference": number, "callback_url": receiver.URL})
		world("POST", "/sandbox/clock/advance", object{"by": "1m"})
		world("GET", "/sandbox/callbacks/wait?reference="+number, nil)
		if result["external_reference"] != number || result["status"] != want {
			t.Errorf("%s came to %v, not to %s", number, result, want)
		}
	}
}
