import { afterEach, describe, expect, it } from '@jest/globals';
import { FakeMediaStreamTrack } from 'fake-mediastreamtrack';
import { openMicrophone } from './devices.ts';

afterEach(() => {
  Reflect.deleteProperty(navigator, 'mediaDevices');
});

/** Resolves to the constraint on the device that the browser gets. */
async function openedDevice(deviceId: string | null): Promise<unknown> {
  const track = new FakeMediaStreamTrack({ kind: 'audio' });
  const asked: MediaStreamConstraints[] = [];
  const getUserMedia = (constraints: MediaStreamConstraints) => {
    asked.push(constraints);
    return Promise.resolve({ getAudioTracks: () => [track] });
  };
  Object.defineProperty(navigator, 'mediaDevices', { value: { getUserMedia }, configurable: true });
  expect(await openMicrophone(deviceId)).toBe(track);
  const [constraints] = asked;
  return typeof constraints?.audio === 'object' ? constraints.audio.deviceId : undefined;
}

describe('openMicrophone', () => {
  it('opens the device with the given id', async () => {
    expect(await openedDevice('usb')).toEqual({ exact: 'usb' });
  });

  it('opens the default microphone for null, and for the id that browsers list before the permission', async () => {
    expect(await openedDevice(null)).toBeUndefined();
    expect(await openedDevice('')).toBeUndefined();
  });

  it.each([
    [null, 'no microphone found'],
    ['usb', 'the selected microphone was not found'],
  ])('reports the device %j as not found when WebKit finds no microphone', async (deviceId, message) => {
    const getUserMedia = () => Promise.reject(new DOMException('', 'OverconstrainedError'));
    Object.defineProperty(navigator, 'mediaDevices', { value: { getUserMedia }, configurable: true });
    await expect(openMicrophone(deviceId)).rejects.toMatchObject({ code: 'microphone_not_found', message });
  });
});
