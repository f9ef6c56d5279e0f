import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../scripts/testing/machine.ts';
import { TestWorker } from '../worker.fixture.ts';
import { XClientFixture } from '../x-client.fixture.ts';

const RED = 0xff_00_00;
const BLUE = 0x00_00_ff;

describe.skipIf(!has('X server')).each([
  ['with every extension', []],
  ['without MIT-SHM', ['-extension', 'MIT-SHM']],
])('pictures of a display %s', (_name, options) => {
  let worker: TestWorker;
  let client: XClientFixture;
  beforeAll(async () => {
    worker = await TestWorker.start('801x600', options);
    client = await XClientFixture.open(worker.server.display);
    await client.window('red', [0, 0, 801, 600], RED);
    await client.window('blue', [100, 50, 10, 20], BLUE);
  });
  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await worker?.[Symbol.asyncDispose]();
  });

  const take = (query = '', headers = {}) => worker.app.inject({ url: `/v2/computer/screenshot${query}`, headers });
  const pixel = async (bytes: Buffer, x: number, y: number) => {
    const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    return [...data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3)];
  };

  test('[desktop.screenshot] a picture has the pixels of the screen, and its sizes in headers', async () => {
    const answer = await take();
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'image/png']);
    expect(answer.headers).toMatchObject({
      ...{ 'x-image-width': '801', 'x-image-height': '600', 'x-screen-width': '801', 'x-screen-height': '600' },
    });
    expect(await pixel(answer.rawPayload, 99, 50)).toEqual([255, 0, 0]);
    expect(await pixel(answer.rawPayload, 100, 50)).toEqual([0, 0, 255]);
    expect(await pixel(answer.rawPayload, 109, 69)).toEqual([0, 0, 255]);
    expect(await pixel(answer.rawPayload, 800, 599)).toEqual([255, 0, 0]);
  });

  test.each(['png', 'jpeg', 'jpg', 'webp'])('[desktop.screenshot-terms] %s, of a region, to scale', async (format) => {
    const answer = await take(`?format=${format}&quality=90&region=95,45,20,30&scale=2`);
    const { width, height, format: made } = await sharp(answer.rawPayload).metadata();
    expect([width, height, made]).toEqual([40, 60, format === 'jpg' ? 'jpeg' : format]);
    expect(answer.headers).toMatchObject({ 'x-image-width': '40', 'x-screen-width': '801' });
    const [red, , blue] = await pixel(answer.rawPayload, 20, 30);
    expect(red).toBeLessThan(40);
    expect(blue).toBeGreaterThan(200);
  });

  test.each([
    ['?format=gif', 422],
    ['?quality=101', 422],
    ['?scale=0', 422],
    ['?scale=5', 422],
    ['?region=1,2,3', 422],
    ['?region=-1,0,5,5', 422],
    ['?region=0,0,802,1', 400],
    ['?region=0,0,0,1', 400],
  ])('[desktop.screenshot-terms] %s is %i', async (query, status) => {
    expect((await take(query)).statusCode).toBe(status);
  });

  test('[desktop.screenshot-terms] a side that webp does not have is 400, and other formats have it', async () => {
    await using wide = await TestWorker.start('4200x8');
    const statusOf = async (format: string): Promise<number> =>
      (await wide.app.inject({ url: `/v2/computer/screenshot?format=${format}&scale=4` })).statusCode;
    expect([await statusOf('webp'), await statusOf('jpeg'), await statusOf('png')]).toEqual([400, 200, 200]);
  });

  test('[desktop.screenshot-cursor] the pointer is in the picture where it is asked for', async () => {
    await worker.json(200, 'POST', '/v2/computer/actions', { action_type: 'MOVE_TO', x: 300, y: 300 });
    const [without, with_] = [await take('?region=280,280,60,60'), await take('?region=280,280,60,60&cursor=true')];
    expect(await pixel(without.rawPayload, 21, 22)).toEqual([255, 0, 0]);
    expect(with_.rawPayload.equals(without.rawPayload)).toBe(false);
  });

  test('[desktop.screenshot-etag] while nothing is drawn the answer is 304; a drawing makes it 200', async () => {
    const { etag } = (await take()).headers;
    const same = await take('', { 'if-none-match': `"other", ${etag}` });
    expect([same.statusCode, same.body, same.headers['etag']]).toEqual([304, '', etag]);
    expect((await take('?scale=0.5', { 'if-none-match': etag })).statusCode).toBe(200);
    await client.window('green', [200, 200, 1, 1], 0x00_ff_00);
    const drawn = await take('', { 'if-none-match': etag });
    expect(drawn.statusCode).toBe(200);
    expect(await pixel(drawn.rawPayload, 200, 200)).toEqual([0, 255, 0]);
    expect(drawn.headers['etag']).not.toBe(etag);
  });

  test('[desktop.resolution] the display changes its size, and pictures follow', async () => {
    const answer = await worker.json(200, 'POST', '/v2/computer/resolution', { width: 1024, height: 500 });
    expect(answer['data']).toEqual({ width: 1024, height: 500 });
    expect((await take()).headers).toMatchObject({ 'x-image-width': '1024', 'x-image-height': '500' });
    await worker.json(422, 'POST', '/v2/computer/resolution', { width: 10, height: 10 });
  });
});

describe.skipIf(!has('X server'))('a display with little', () => {
  test('[desktop.fallback] without DAMAGE, XFIXES and RANDR pictures have no etag, and warnings say why', async () => {
    const lacking = ['DAMAGE', 'XFIXES', 'RANDR'];
    await using worker = await TestWorker.start(
      '400x300',
      lacking.flatMap((name) => ['-extension', name]),
    );
    const { data } = await worker.json(200, 'GET', '/v2/computer/info');
    const warnings = expect.arrayContaining(lacking.map((name) => expect.stringContaining(name)));
    expect(data).toMatchObject({ available: true, warnings });
    const answer = await worker.app.inject({
      url: '/v2/computer/screenshot?cursor=true',
      headers: { 'if-none-match': '*' },
    });
    expect([answer.statusCode, answer.headers['etag']]).toEqual([200, undefined]);
    await worker.json(503, 'POST', '/v2/computer/resolution', { width: 500, height: 400 });
  });

  test('[desktop.fallback] without XTEST actions are 503, and pictures are taken', async () => {
    await using worker = await TestWorker.start('400x300', ['-extension', 'XTEST']);
    const { hint } = await worker.json(503, 'POST', '/v2/computer/actions', { action_type: 'CLICK' });
    expect(hint).toContain('XTEST');
    expect((await worker.app.inject({ url: '/v2/computer/screenshot' })).statusCode).toBe(200);
  });

  test('[desktop.screenshot] a screen of 4K', async () => {
    await using worker = await TestWorker.start('3840x2160');
    const answer = await worker.app.inject({ url: '/v2/computer/screenshot?format=jpeg' });
    expect(answer.headers).toMatchObject({ 'x-image-width': '3840', 'x-image-height': '2160' });
  });
});
