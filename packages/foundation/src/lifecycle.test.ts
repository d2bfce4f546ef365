import { describe, expect, it } from '@jest/globals';
import { startCapability } from './lifecycle.ts';
import { silentLogger } from './logger.ts';

describe('startCapability', () => {
  const component = (name: string, stopped: string[]): AsyncDisposable => ({
    [Symbol.asyncDispose]: () => Promise.resolve(void stopped.push(name)),
  });

  it('offers what the start returns, and stops components in reverse order, once', async () => {
    const stopped: string[] = [];
    const capability = await startCapability(silentLogger, async (components) => {
      const inner = await startCapability(silentLogger, (nested) => {
        nested.own('store', component('store', stopped));
        nested.own('timer', { [Symbol.dispose]: () => void stopped.push('timer') });
        return { value: 1 };
      });
      const { value } = components.own('inner', inner);
      components.add('server', () => void stopped.push('server'));
      return { port: value + 1 };
    });
    expect(capability.port).toBe(2);
    await capability[Symbol.asyncDispose]();
    await capability[Symbol.asyncDispose]();
    expect(stopped).toEqual(['server', 'timer', 'store']);
  });

  it('stops what is already open when the start fails, although a component fails to stop', async () => {
    const stopped: string[] = [];
    const starting = startCapability(silentLogger, (components) => {
      components.own('store', component('store', stopped));
      components.add('bus', () => Promise.reject(new Error('bus failed to stop')));
      throw new Error('port in use');
    });
    await expect(starting).rejects.toThrow('port in use');
    expect(stopped).toEqual(['store']);
  });
});
