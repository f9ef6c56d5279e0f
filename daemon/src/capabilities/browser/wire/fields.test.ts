import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly 'x-default'?: unknown;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
}

/** The routes of the contract and their fields, with the default (`=`) and the values (`:`) that it names. */
const ROUTES: readonly (readonly [route: string, fields: string])[] = [
  [
    'post navigate',
    'url history:back|forward|reload wait_until=load:load|domcontentloaded|networkidle|commit timeout=30 tab_id',
  ],
  [
    'get screenshot',
    'format=png:png|jpeg|jpg|webp quality full_page tab_id selector scale=1 target=auto:auto|page|display',
  ],
  ['post snapshot', 'interactive_only=false tab_id'],
  ['post click', 'ref selector tab_id button=left click_count=1 x y'],
  ['post fill', 'ref selector tab_id value'],
  ['post upload', 'ref selector tab_id paths'],
  ['post evaluate', 'expression await_promise=true tab_id'],
  ['post wait', 'for:selector|url|load|networkidle|text|function timeout=30'],
  ['get tabs', ''],
  ['post tabs', 'url'],
  ['post tabs/{tab_id}/activate', ''],
  ['delete tabs/{tab_id}', ''],
  ['get cookies', 'urls url domain name'],
  ['post cookies', 'cookies'],
  ['delete cookies', 'urls url domain name all'],
  ['get network/requests', 'limit=100 clear filter'],
  ['post cdp', 'method params tab_id browser'],
  ['get info', ''],
  ['post config', 'resolution'],
  ['post actions', ''],
  ['post start', ''],
];

/** Sizes that clients of 1.x may ask for. */
const RESOLUTIONS =
  '640x480 800x600 1024x768 1280x720 1280x800 1280x960 1280x1024 1360x768 1400x1050 1600x1200 1680x1050 1920x1080 1920x1200';

describe.each(['/v1', '/v2'])('%s/browser', (prefix) => {
  let daemon: TestApp;
  beforeAll(async () => {
    daemon = await TestApp.start({ browserPort: 1 });
  });
  afterAll(() => daemon[Symbol.asyncDispose]());

  test('[browser.fields] each route has the fields of the contract, with their values and defaults', async () => {
    const { paths, components } = (await daemon.inject(`${prefix}/openapi.json`)).json();
    const named = ({ $ref, anyOf = [], ...schema }: Schema): Schema => {
      if ($ref !== undefined) return named(components.schemas[$ref.split('/').at(-1) ?? '']);
      const [variant] = anyOf.map(named).filter(({ properties, enum: values }) => properties ?? values);
      return { ...variant, ...schema };
    };
    for (const [route, fields] of ROUTES) {
      const [method = '', path] = route.split(' ');
      const operation: Operation | undefined = paths[`${prefix}/browser/${path}`]?.[method];
      expect([route, operation]).toEqual([route, expect.any(Object)]);
      const { parameters = [], requestBody } = operation ?? {};
      const body = requestBody && named(requestBody.content['application/json'].schema).properties;
      const found = { ...body, ...Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])) };
      const seen = fields.split(' ').map((field) => {
        const [name = ''] = field.split(/[=:]/);
        const schema = found[name];
        if (name !== '' && schema === undefined) return `no ${name}`;
        const values = named(schema ?? {}).enum?.filter((value) => value !== null);
        return `${name}${field.includes('=') ? `=${schema?.default ?? schema?.['x-default']}` : ''}${field.includes(':') ? `:${values?.join('|')}` : ''}`;
      });
      expect([route, seen.join(' ')]).toEqual([route, fields]);
    }
  });

  test('[browser-field.config] each resolution of 1.x is taken', async () => {
    for (const resolution of RESOLUTIONS.split(' ')) {
      const [width, height] = resolution.split('x').map(Number);
      const answer = await daemon.post(`${prefix}/browser/config`, { resolution: { width, height } });
      // Without a browser a request that is taken is unavailable.
      expect([resolution, answer.statusCode]).toEqual([resolution, 503]);
    }
  });
});
