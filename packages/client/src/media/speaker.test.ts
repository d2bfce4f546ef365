import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeMediaStreamTrack } from 'fake-mediastreamtrack';
import { createSpeaker } from './speaker.ts';

/** The page's audio element. */
class FakeAudio extends EventTarget {
  static last: FakeAudio;
  srcObject: unknown = null;
  paused = true;
  isAllowed = true;

  constructor() {
    super();
    FakeAudio.last = this;
  }

  play(): Promise<void> {
    if (!this.isAllowed) return Promise.reject(new DOMException('not now', 'NotAllowedError'));
    this.paused = false;
    return Promise.resolve();
  }

  /** As the system does. Browsers fire the event later. */
  pause(): void {
    this.paused = true;
    queueMicrotask(() => this.dispatchEvent(new Event('pause')));
  }
}

class FakeDocument extends EventTarget {
  hidden = false;
}

beforeEach(() => {
  Object.assign(globalThis, { Audio: FakeAudio, MediaStream: Object, document: new FakeDocument() });
});
afterEach(() => {
  for (const name of ['Audio', 'MediaStream', 'document']) Reflect.deleteProperty(globalThis, name);
});

/** A speaker that plays. */
async function playing() {
  const blocked: string[] = [];
  const speaker = createSpeaker(() => void blocked.push('blocked'));
  speaker.play(new FakeMediaStreamTrack({ kind: 'audio' }));
  await Promise.resolve();
  return { speaker, blocked, element: FakeAudio.last, page: document as Document & FakeDocument };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('createSpeaker', () => {
  it('resumes when the system has paused the audio', async () => {
    const { element, blocked } = await playing();
    element.pause();
    await settled();
    expect([element.paused, blocked]).toEqual([false, []]);
  });

  it('resumes when the page is visible again, and reports it if that needs a click', async () => {
    const { element, page, blocked } = await playing();
    page.hidden = true;
    element.pause();
    await settled();
    expect(element.paused).toBe(true);
    element.isAllowed = false;
    page.hidden = false;
    page.dispatchEvent(new Event('visibilitychange'));
    await settled();
    expect([element.paused, blocked]).toEqual([true, ['blocked']]);
  });

  it('stays silent after stop', async () => {
    const { speaker, element, page } = await playing();
    speaker.stop();
    await settled();
    page.dispatchEvent(new Event('visibilitychange'));
    await settled();
    expect(element.paused).toBe(true);
  });
});
