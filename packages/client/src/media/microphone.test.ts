import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeMediaStreamTrack } from 'fake-mediastreamtrack';
import { Microphone } from './microphone.ts';

class FakeDocument extends EventTarget {
  hidden = false;

  show(isVisible: boolean): void {
    this.hidden = !isVisible;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

let page: FakeDocument;
beforeEach(() => {
  page = new FakeDocument();
  Object.assign(globalThis, { document: page });
});
afterEach(() => {
  Reflect.deleteProperty(globalThis, 'document');
  Reflect.deleteProperty(navigator, 'maxTouchPoints');
});

/** A microphone in use on a device with a touchscreen, or without one. */
function inUse(maxTouchPoints: number) {
  Object.defineProperty(navigator, 'maxTouchPoints', { value: maxTouchPoints, configurable: true });
  let unplugged = 0;
  const microphone = new Microphone(() => (unplugged += 1));
  const track = new FakeMediaStreamTrack({ kind: 'audio' });
  microphone.use(track);
  return { microphone, track, unplugged: () => unplugged };
}

describe('Microphone on a phone', () => {
  it('is replaced if it is still muted when the page is visible again', () => {
    const { microphone, track, unplugged } = inUse(5);
    track.remoteMute();
    page.show(false);
    expect([track.readyState, unplugged()]).toEqual(['live', 0]);
    page.show(true);
    // Safari needs the device to be free.
    expect([track.readyState, unplugged()]).toEqual(['ended', 1]);
    microphone.use(new FakeMediaStreamTrack({ kind: 'audio' }));
    page.show(true);
    expect(unplugged()).toBe(1);
  });

  it('is opened again by the next visit if the device was still in use', () => {
    const { track, unplugged } = inUse(5);
    track.remoteMute();
    page.show(true);
    page.show(true);
    expect(unplugged()).toBe(2);
  });

  it('stays if the device works again by itself, and after the call', () => {
    const { microphone, track, unplugged } = inUse(5);
    track.remoteMute();
    track.remoteUnmute();
    page.show(true);
    track.remoteMute();
    microphone.close();
    page.show(true);
    expect(unplugged()).toBe(0);
  });
});

it('a microphone that the user of a desktop browser has muted there stays muted', () => {
  const { track, unplugged } = inUse(0);
  track.remoteMute();
  page.show(true);
  expect([track.readyState, unplugged()]).toEqual(['live', 0]);
});
