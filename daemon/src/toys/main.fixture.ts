import { buildApp } from '../app.ts';
import { optionsOf, readConfig } from '../config.ts';
import { WITH_TOYS } from './capabilities.fixture.ts';

// A daemon with the toys, which a test may kill.
const config = readConfig(process.argv.slice(3), undefined, optionsOf(WITH_TOYS));
const app = await buildApp(config, undefined, WITH_TOYS);
process.once('SIGTERM', () => void app.close());
await app.listen({ host: config.host, port: config.port });
