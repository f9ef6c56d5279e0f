import type { App } from '@sandbox/api/http/app-types.ts';
import type { CodeService } from '../code-service.ts';
import { cellsV1 } from './code-routes.ts';
import { jupyterV1 } from './jupyter-routes.ts';
import { nodejsV1 } from './nodejs-routes.ts';

/** The three families of 1.x, each in a scope with its own errors. */
export function codeV1(app: App, service: CodeService): void {
  for (const mount of [jupyterV1, cellsV1, nodejsV1]) {
    void app.register((scope: App, _options: object, done: () => void) => {
      mount(scope, service);
      done();
    });
  }
}
