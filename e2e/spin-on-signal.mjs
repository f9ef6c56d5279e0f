// Loaded by `--import` into the services of a test, which then spin on a signal as a service with a fault does.
import process from 'node:process';

function spinForever() {
  for (;;);
}

process.on('SIGUSR2', () => spinForever());
