/** The exports of `@jest/globals`: the Jest API for the test file that currently runs in this process. */
let current;

export function setGlobals(globals) {
  current = globals;
}
const call =
  (name) =>
  (...args) =>
    current[name](...args);

export const afterAll = call('afterAll');
export const afterEach = call('afterEach');
export const beforeAll = call('beforeAll');
export const beforeEach = call('beforeEach');
const delegate = (name) => new Proxy(call(name), { get: (_target, key) => current[name][key] });
export const describe = delegate('describe');
export const expect = delegate('expect');
export const it = delegate('it');
export const test = it;
export const jest = new Proxy({}, { get: (_target, key) => current.jest[key] });
