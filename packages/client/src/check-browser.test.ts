import { expect, it } from '@jest/globals';
import { CallSession } from './call-session.ts';
import { checkBrowser } from './check-browser.ts';
import { testNetwork } from './network-test.ts';

/** Defines a property until the result is disposed. */
function define(owner: object, name: string, value: unknown): Disposable {
  const before = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { value, configurable: true });
  if (value === undefined) Reflect.deleteProperty(owner, name);
  return {
    [Symbol.dispose]: () => {
      Reflect.deleteProperty(owner, name);
      if (before) Object.defineProperty(owner, name, before);
    },
  };
}

it('the SDK rejects a browser without WebRTC before it connects', async () => {
  using _webRtc = define(globalThis, 'RTCPeerConnection', undefined);
  const error = {
    name: 'CallError',
    code: 'unsupported_browser',
    message: 'this browser has no WebRTC, or its settings turn WebRTC off',
  };
  await expect(new CallSession().joinCall('ws://127.0.0.1/join/1')).rejects.toMatchObject(error);
  await expect(testNetwork('ws://127.0.0.1/join/1')).rejects.toMatchObject(error);
});

it('the SDK rejects a browser that is too old', () => {
  using _webRtc = define(globalThis, 'RTCPeerConnection', Object);
  checkBrowser();
  using _any = define(AbortSignal, 'any', undefined);
  expect(checkBrowser).toThrow('this browser is too old for calls: update it');
});
