package shop

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

type object = map[string]any

// sandbox gives the address of the one at PAYMENTS_SANDBOX_URL, or of one that PAYMENTS_SANDBOX_COMMAND starts.
func sandbox(t *testing.T) string {
	if url := os.Getenv("PAYMENTS_SANDBOX_URL"); url != "" {
		return url
	}
	words := strings.Fields(cmp.Or(os.Getenv("PAYMENTS_SANDBOX_COMMAND"), "payments-sandbox"))
	command := exec.Command(words[0], words[1:]...)
	command.Env = append(os.Environ(), "SANDBOX_PORT=0", "SANDBOX_IN_CONTAINER=off")
	output, _ := command.StdoutPipe()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { command.Process.Signal(os.Interrupt); command.Wait() })
	for lines := bufio.NewScanner(output); lines.Scan(); {
		if url := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(lines.Text()); url != "" {
			go io.Copy(io.Discard, output)
			return url
		}
	}
	t.Fatal(words, "names no address")
	return ""
}

// call sends a request and reads the answer; one that is refused fails the test.
func call(t *testing.T, url, username, password, method, path string, body any) (answer object) {
	sent, _ := json.Marshal(body)
	request, _ := http.NewRequest(method, url+path, bytes.NewReader(sent))
	request.SetBasicAuth(username, password)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if json.NewDecoder(response.Body).Decode(&answer); response.StatusCode >= 400 {
		t.Fatal(method, path, response.Status, answer["error_message"])
	}
	return answer
}
