import type { Dialog, DialogEnd, DialogSnapshot } from '@calls/sip/calls';

const SNAPSHOT: DialogSnapshot = {
  ...{ callId: 'sip-1', localTag: 'ours', remoteTag: 'theirs', localCSeq: 1, remoteCSeq: null },
  ...{ local: '<sip:agent@calls.test>;tag=ours', remote: '<sip:ann@pbx.test>;tag=theirs' },
  ...{ remoteTarget: 'sip:ann@127.0.0.1:5070', routeSet: [], isSecure: false, isDirect: true },
  peer: { address: '127.0.0.1', port: 5070, transport: 'udp' },
  ...{ hasCredentials: true, hasUpdate: false, session: null },
};

/** An established dialog that the test ends. */
export class FakeDialog implements Dialog {
  readonly callId = 'sip-1';
  remoteSdp: string | null = null;
  byes = 0;
  readonly referred: string[] = [];
  readonly #ended = Promise.withResolvers<DialogEnd>();
  readonly ended = this.#ended.promise;

  end(by: DialogEnd['by']): void {
    this.#ended.resolve({ by });
  }

  bye(): Promise<void> {
    this.byes += 1;
    this.end('local');
    return Promise.resolve();
  }

  refer(target: string): Promise<boolean> {
    this.referred.push(target);
    return Promise.resolve(true);
  }

  info(): Promise<boolean> {
    return Promise.resolve(false);
  }

  handle(): void {
    // Not used here.
  }

  onReinvite(): void {
    // Not used here.
  }

  snapshot(): DialogSnapshot {
    return SNAPSHOT;
  }

  onChanged(): void {
    // Not used here.
  }

  release(): void {
    this.end('released');
  }
}
