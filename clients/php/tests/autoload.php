<?php
declare(strict_types=1);

/** Loads the classes as Composer does. */
spl_autoload_register(function (string $class): void {
    $file = __DIR__ . '/../src/' . substr($class, strlen('PaymentsSandbox\\')) . '.php';
    if (str_starts_with($class, 'PaymentsSandbox\\') && is_file($file)) {
        require $file;
    }
});
