import { describe, expect, it } from '@jest/globals';
import { createSecretBox } from '@calls/secrets/secret-box/secret-box';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { createConsoleSessions } from './console-sessions.ts';

const KEY = 'abcdefgh.0123456789abcdefghijklmnopqrstuv';
const NEW = 'a new key of enough characters';
const OLD = 'an old key of enough characters';

describe('console sessions', () => {
  it('expire after twelve hours', async () => {
    const clock = new VirtualClock();
    const sessions = createConsoleSessions(createSecretBox([NEW]), clock);
    const { sealed, expiresAt } = sessions.begin(KEY);
    expect(sealed).not.toContain('0123456789');
    await clock.advance(12 * 3_600_000 - 1);
    expect(sessions.open(sealed)).toEqual({ key: KEY, expiresAt });
    await clock.advance(1);
    expect(sessions.open(sealed)).toBeNull();
  });

  it('are valid in every process with the same keys, and after key rotation', () => {
    const clock = new VirtualClock();
    const { sealed } = createConsoleSessions(createSecretBox([OLD]), clock).begin(KEY);
    const open = (keys: string[]) => createConsoleSessions(createSecretBox(keys), clock).open(sealed);
    expect(open([OLD])?.key).toBe(KEY);
    expect(open([NEW, OLD])?.key).toBe(KEY);
    expect(open([NEW])).toBeNull();
  });

  it('are invalid when encrypted for another purpose, altered or forged', () => {
    const box = createSecretBox([NEW]);
    const sessions = createConsoleSessions(box, new VirtualClock());
    const content = JSON.stringify({ key: KEY, expiresAtMs: Number.MAX_SAFE_INTEGER });
    const { sealed } = sessions.begin(KEY);
    const altered = `${sealed.slice(0, 60)}${sealed[60] === 'A' ? 'B' : 'A'}${sealed.slice(61)}`;
    for (const bad of ['', 'x', KEY, content, altered, box.seal(content), box.seal(content, 'calls:1')]) {
      expect(sessions.open(bad)).toBeNull();
    }
  });
});
