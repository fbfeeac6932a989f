package paymentssandbox

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

const how = `
Any of these will do:
  PAYMENTS_SANDBOX_URL=http://127.0.0.1:8080   a running sandbox (PAYMENTS_SANDBOX_USERNAME and _PASSWORD unless they are demo)
  PAYMENTS_SANDBOX_COMMAND='npx --no -- payments-sandbox'   a command that starts one
  PAYMENTS_SANDBOX_IMAGE=payments-sandbox   an image, for docker or podman
  payments-sandbox on the PATH or in node_modules, or the image payments-sandbox`

// Patience is the time that a sandbox may take to start, including the download of an image.
const patience = 2 * time.Minute

// Sandbox is a running sandbox.
type Sandbox struct {
	*Client
	inContainer bool
}

var shared = sync.OnceValues(start)

// Start connects to PAYMENTS_SANDBOX_URL. Otherwise it starts PAYMENTS_SANDBOX_COMMAND, or a container of PAYMENTS_SANDBOX_IMAGE, or
// an installed payments-sandbox command, or a container of the image payments-sandbox. All tests of a process share the sandbox,
// which stops when the process ends.
func Start() (*Sandbox, error) { return shared() }

func start() (*Sandbox, error) {
	if url := os.Getenv("PAYMENTS_SANDBOX_URL"); url != "" {
		if !regexp.MustCompile(`^https?://[^/]`).MatchString(url) {
			return nil, fmt.Errorf("PAYMENTS_SANDBOX_URL must be an address such as http://127.0.0.1:8080, got %q", url)
		}
		return sandboxAt(url, false), nil
	}
	if command := os.Getenv("PAYMENTS_SANDBOX_COMMAND"); command != "" {
		return byCommand(words(command))
	}
	image := os.Getenv("PAYMENTS_SANDBOX_IMAGE")
	if image == "" {
		if found := installed(); found != "" {
			return byCommand([]string{found})
		}
	}
	for _, engine := range []string{"docker", "podman"} {
		// docker is often installed without its daemon.
		if exec.Command(engine, "ps", "--quiet").Run() != nil {
			continue
		}
		if image != "" || exec.Command(engine, "image", "inspect", "payments-sandbox").Run() == nil {
			return byContainer(engine, cmp.Or(image, "payments-sandbox"))
		}
	}
	if image != "" {
		return nil, fmt.Errorf("PAYMENTS_SANDBOX_IMAGE is %s, and neither docker nor podman responds%s", image, how)
	}
	return nil, errors.New("there is no sandbox: no command payments-sandbox on the PATH or in node_modules, no image payments-sandbox of docker or podman" + how)
}

func sandboxAt(url string, inContainer bool) *Sandbox {
	username := cmp.Or(os.Getenv("PAYMENTS_SANDBOX_USERNAME"), "demo")
	return &Sandbox{NewClient(url, username, cmp.Or(os.Getenv("PAYMENTS_SANDBOX_PASSWORD"), "demo")), inContainer}
}

// words splits a command; quotes group words with spaces.
func words(command string) (split []string) {
	for _, found := range regexp.MustCompile(`"([^"]*)"|'([^']*)'|(\S+)`).FindAllStringSubmatch(command, -1) {
		split = append(split, cmp.Or(found[1], found[2], found[3]))
	}
	return split
}

// installed returns the installed command. Nothing is downloaded: plain npx would download any package of that name.
func installed() string {
	if found, err := exec.LookPath("payments-sandbox"); err == nil {
		return found
	}
	for folder, _ := os.Getwd(); ; folder = filepath.Dir(folder) {
		if found, err := exec.LookPath(filepath.Join(folder, "node_modules", ".bin", "payments-sandbox")); err == nil {
			return found
		}
		if folder == filepath.Dir(folder) {
			return ""
		}
	}
}

// untilParentEnds runs a command until standard input closes, which happens however the process of the tests ends. It also stops the
// children of the command, because npx and npm do not.
const untilParentEnds = `exec 3<&0
"$@" 3<&- </dev/null &
pid=$!
end() { for child in $(pgrep -P "$1"); do end "$child"; done; kill -TERM "$1" 2>/dev/null; }
{ while read -r _; do :; done <&3; end $pid; } >/dev/null 2>&1 &
wait $pid`

// byCommand starts a command on a free port.
func byCommand(command []string) (*Sandbox, error) {
	// If this runs in a container, the receivers of the tests run in the same one.
	environment := append([]string{"SANDBOX_IN_CONTAINER=off"}, os.Environ()...)
	environment = append(environment, "SANDBOX_PORT=0", "SANDBOX_HOST=127.0.0.1", "SANDBOX_LOG_LEVEL=warn")
	url, err := run(command, environment, regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString)
	return sandboxAt(url, false), err
}

// byContainer starts a container on a free port, so that it reaches receivers on this machine.
func byContainer(engine, image string) (*Sandbox, error) {
	name := fmt.Sprintf("payments-sandbox-%d", os.Getpid())
	command := []string{engine, "run", "--rm", "--publish", "127.0.0.1::8080", "--name", name}
	// Docker on Linux needs the host name; Podman defines one.
	if engine == "podman" {
		command = append(command, "--env", "SANDBOX_CALLBACK_REWRITE=localhost=host.containers.internal", image)
	} else {
		command = append(command, "--add-host", "host.docker.internal:host-gateway", image)
	}
	url, err := run(command, os.Environ(), func(string) string {
		port, _ := exec.Command(engine, "port", name, "8080/tcp").Output()
		if found := regexp.MustCompile(`:\d+`).Find(port); found != nil {
			return "http://127.0.0.1" + string(found)
		}
		return ""
	})
	return sandboxAt(url, true), err
}

// run starts a command that ends with this process, and returns the address of the sandbox once it is ready.
func run(words, environment []string, addressIn func(printed string) string) (string, error) {
	command := exec.Command(words[0], words[1:]...)
	if shell, err := exec.LookPath("sh"); err == nil {
		command = exec.Command(shell, append([]string{"-c", untilParentEnds, "sh"}, words...)...)
	}
	command.Env = environment
	printed := &output{}
	command.Stdout, command.Stderr = printed, printed
	if _, err := command.StdinPipe(); err != nil {
		return "", err
	}
	line := strings.Join(words, " ")
	if err := command.Start(); err != nil {
		return "", fmt.Errorf("%s could not be started: %w%s", line, err, how)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if url := addressIn(printed.String()); url != "" && isReady(url) {
			return url, nil
		}
		select {
		case <-ended:
			return "", fmt.Errorf("%s started no sandbox. It printed:\n%s%s", line, printed, how)
		default:
		}
	}
	return "", fmt.Errorf("%s started no sandbox within %s. It printed:\n%s", line, patience, printed)
}

func isReady(url string) bool {
	response, err := (&http.Client{Timeout: 2 * time.Second}).Get(url + "/readyz")
	if err == nil {
		response.Body.Close()
	}
	return err == nil && response.StatusCode == 200
}

// output keeps what a command prints.
type output struct {
	lock  sync.Mutex
	bytes bytes.Buffer
}

func (o *output) Write(text []byte) (int, error) {
	o.lock.Lock()
	defer o.lock.Unlock()
	return o.bytes.Write(text)
}

func (o *output) String() string {
	o.lock.Lock()
	defer o.lock.Unlock()
	return o.bytes.String()
}
