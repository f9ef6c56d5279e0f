import { finished } from 'node:stream';
import type { App } from '@sandbox/api/http/app-types.ts';
import type { Activity, UseKind } from '../../core/activity/activity.ts';
import type { EventKind } from '../../core/recorder/event.ts';

/** Which requests of a capability are a use of the sandbox. Route patterns have their prefix: `/v2/fs/upload`. */
export interface RequestActivity {
  /** What a request uses. */
  readonly kind: UseKind;
  /** Routes that only look, by which clients poll. */
  readonly looks: readonly string[];
  /** Routes that move a body of any size: they keep the sandbox busy until it has moved. */
  readonly transfers: readonly string[];
  /** The kind of events that its requests are reported as, if they do not only look. */
  readonly records?: EventKind;
}

/** Counts the requests of the routes that are registered after this in the same scope. */
export function countRequests(app: App, activity: Activity, { kind, looks, transfers }: RequestActivity): void {
  const looking = new Set(looks);
  const moving = new Set(transfers);
  app.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.url ?? '';
    if (moving.has(route)) {
      const held = activity.hold('transfer', request.id);
      finished(reply.raw, () => {
        held[Symbol.dispose]();
        activity.note('transfer');
      });
    }
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (reply.statusCode < 400 && !looking.has(request.routeOptions.url ?? '')) activity.note(kind);
    done();
  });
}
