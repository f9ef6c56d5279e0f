import { expect, test } from 'vitest';
import { definePort, Ports } from './port.ts';

const GREETER = definePort<(name: string) => string>('greeter');

test('a port that nothing provides is undefined, also to its users; filled later it is there', () => {
  const ports = new Ports();
  const reader = ports.readerFor('user', [GREETER]);
  expect(reader.get(GREETER)).toBeUndefined();
  ports.fill(GREETER, (name: string) => `hello ${name}`);
  expect(reader.get(GREETER)?.('you')).toBe('hello you');
});

test('a port that is not declared cannot be read, and two capabilities cannot provide one', () => {
  const ports = new Ports();
  expect(() => ports.readerFor('user', []).get(GREETER)).toThrow(
    'the capability user does not declare the port greeter',
  );
  ports.fill(GREETER, () => '');
  expect(() => ports.fill(GREETER, () => '')).toThrow('two capabilities provide the port greeter');
});
