// Loaded before a program (`--import`): makes it hold 1 GiB of memory, every page of it touched.
globalThis.ballast = Buffer.alloc(1024 ** 3, 1);
