import { expect, it } from '@jest/globals';
import { CallSession } from './call-session.ts';
import { testNetwork } from './network-test.ts';

it('the SDK rejects a browser that is too old with a CallError', async () => {
  const any = Object.getOwnPropertyDescriptor(AbortSignal, 'any');
  Reflect.deleteProperty(AbortSignal, 'any');
  try {
    const error = { name: 'CallError', code: 'unsupported_browser' };
    await expect(new CallSession().joinCall('ws://127.0.0.1/join/1')).rejects.toMatchObject(error);
    await expect(testNetwork('ws://127.0.0.1/join/1')).rejects.toMatchObject(error);
  } finally {
    Object.defineProperty(AbortSignal, 'any', any ?? {});
  }
});
