<?php

/** Takes callbacks with plain PHP. README.md says how it is run. */

declare(strict_types=1);

/** Seconds that a callback may be old or ahead: an old one may have been recorded and sent again by somebody. */
const TOLERANCE = 300;
/** Bytes. */
const LARGEST = 65536;

/** PHP writes the names of headers in its own way, so that any case will do; those of getallheaders() are as they were sent. */
function header_of(string $name): string
{
    return $_SERVER['HTTP_' . strtoupper(strtr($name, '-', '_'))] ?? '';
}

/** What callbacks are signed with: one, or several while a secret is rotated. */
function keys(): array
{
    $keys = [];
    foreach (explode(' ', trim((string) getenv('WEBHOOK_SECRETS'))) as $secret) {
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
        // Whoever signs with an empty key would be believed.
        if ($key === false || strlen($key) < 24) {
            throw new RuntimeException('WEBHOOK_SECRETS must be one or several of whsec_…, with 24 bytes or more behind it');
        }
        $keys[] = $key;
    }
    return $keys;
}

/** Whether these very bytes were signed with one of the secrets a moment ago. */
function is_genuine(string $body): bool
{
    $id = header_of('webhook-id');
    $timestamp = header_of('webhook-timestamp');
    if ($id === '' || !preg_match('/^[0-9]{1,12}$/D', $timestamp)) {
        return false;
    }
    if (abs(time() - (int) $timestamp) > TOLERANCE) {
        return false;
    }
    foreach (keys() as $key) {
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach (explode(' ', header_of('webhook-signature')) as $sent) {
            if (hash_equals($expected, $sent)) {
                return true;
            }
        }
    }
    return false;
}

/** What a callback tells, whatever else it has; null when that is no result. */
function result_of(string $body): ?array
{
    $told = json_decode($body, true, 32);
    if (!is_array($told)) {
        return null;
    }
    $result = is_array($told['response'] ?? null) ? nested($told) : flat($told);
    $fits = is_string($result['reference']) && is_string($result['status'])
        && (is_int($result['amount']) || is_float($result['amount']));
    return $fits ? $result : null;
}

function flat(array $told): array
{
    return [
        'reference' => $told['external_reference'] ?? null,
        'status' => $told['status'] ?? null,
        'amount' => $told['amount'] ?? null,
        'currency' => $told['currency'] ?? null,
        'payin' => ($told['transaction_type'] ?? null) === 'inbound_payment',
    ];
}

/** The older shape: of Kenya alone, so without a currency, and a reversal is told as a failure. */
function nested(array $told): array
{
    return [
        'reference' => $told['response']['ExternalReference'] ?? null,
        'status' => ($told['status'] ?? null) === true ? 'success' : 'failed',
        'amount' => $told['response']['Amount'] ?? null,
        'currency' => 'KES',
        'payin' => !isset($told['response']['TransactionID']),
    ];
}

/** The state of an order, after a result: nothing undoes a reversal, and only a reversal undoes what is paid. */
function after(array $order, array $result): string
{
    $state = $order['status'];
    if (!$result['payin'] || $state === 'reversed') {
        return $state;
    }
    if ($result['status'] === 'reversed') {
        return 'reversed';
    }
    if ($result['status'] === 'failed') {
        return $state === 'waiting' ? 'failed' : $state;
    }
    if ($result['status'] !== 'success' || $state === 'paid') {
        return $state;
    }
    // Rightly signed, but not what was asked for: somebody has to look at it. 1000 and 1e3 are one amount, so not as text.
    $right = (float) $result['amount'] === (float) $order['amount'] && $result['currency'] === $order['currency'];
    return $right ? 'paid' : 'review';
}

function database(): PDO
{
    $db = new PDO('sqlite:' . (getenv('DATA') ?: 'orders.db'));
    $db->exec('PRAGMA busy_timeout = 5000');
    $db->exec('CREATE TABLE IF NOT EXISTS orders (reference TEXT PRIMARY KEY, amount REAL, currency TEXT,
        status TEXT DEFAULT \'waiting\', fulfilled INTEGER DEFAULT 0, paid REAL DEFAULT 0)');
    $db->exec('CREATE TABLE IF NOT EXISTS taken (event TEXT PRIMARY KEY)');
    return $db;
}

function run(PDO $db, string $sql, array $values): PDOStatement
{
    $statement = $db->prepare($sql);
    $statement->execute($values);
    return $statement;
}

function find(PDO $db, string $reference): ?array
{
    return run($db, 'SELECT * FROM orders WHERE reference = ?', [$reference])->fetch(PDO::FETCH_ASSOC) ?: null;
}

/** Takes a callback once, and returns when it is on the disk: what is answered with 2xx is not sent again. */
function take(string $id, array $result): void
{
    $db = database();
    // Of ten copies at one moment nine wait here.
    $db->exec('BEGIN IMMEDIATE');
    $order = find($db, $result['reference']);
    // A payment that nobody asked for is no reason to have it sent again.
    if ($order && run($db, 'INSERT OR IGNORE INTO taken VALUES (?)', [$id])->rowCount() === 1) {
        $status = after($order, $result);
        // Here goods are handed out, once.
        $handedOut = $status === 'paid' && $order['status'] !== 'paid' ? 1 : 0;
        run(
            $db,
            'UPDATE orders SET status = ?, fulfilled = fulfilled + ?, paid = ? WHERE reference = ?',
            [$status, $handedOut, $status === 'paid' ? $order['amount'] : 0, $order['reference']],
        );
    }
    $db->exec('COMMIT');
}

function answer(int $status, ?array $body = null): never
{
    http_response_code($status);
    if ($body !== null) {
        header('Content-Type: application/json');
        echo json_encode($body);
    }
    exit;
}

function refuse(int $status, string $error): never
{
    answer($status, ['error' => $error]);
}

function callback(): never
{
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        header('Allow: POST');
        refuse(405, 'Method Not Allowed');
    }
    if (!preg_match('~^application/json\s*(;|$)~i', $_SERVER['CONTENT_TYPE'] ?? '')) {
        refuse(415, 'Unsupported Media Type');
    }
    // The bytes. $_POST has nothing of JSON.
    $body = file_get_contents('php://input', false, null, 0, LARGEST + 1);
    if (strlen($body) > LARGEST) {
        refuse(413, 'Content Too Large');
    }
    if (!is_genuine($body)) {
        refuse(401, 'Unauthorized');
    }
    $result = result_of($body) ?? refuse(400, 'Bad Request');
    take(header_of('webhook-id'), $result);
    answer(204);
}

/** For tests alone: they say what is expected, and ask what came of it. A shop has orders of its own. */
function orders(string $path): never
{
    if ($_SERVER['REQUEST_METHOD'] === 'POST') {
        ['reference' => $reference, 'amount' => $amount, 'currency' => $currency]
            = json_decode(file_get_contents('php://input'), true);
        run(
            database(),
            'INSERT INTO orders (reference, amount, currency) VALUES (?, ?, ?)',
            [$reference, $amount, $currency],
        );
        answer(201, find(database(), $reference));
    }
    answer(200, find(database(), rawurldecode(basename($path))) ?? refuse(404, 'Not Found'));
}

// What PHP says of an error would stand in the answer.
ini_set('display_errors', '0');
ini_set('log_errors', '1');
header_remove('X-Powered-By');
keys();

$path = (string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
match (true) {
    $path === '/callback' => callback(),
    str_starts_with($path, '/orders') => orders($path),
    default => refuse(404, 'Not Found'),
};
