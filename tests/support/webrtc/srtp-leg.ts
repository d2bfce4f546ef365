import { createHash, randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { DtlsParameters } from '@calls/api-contract/signalling/media-parameters';
import type { TransportParameters } from '@calls/api-contract/signalling/signal-messages';
import {
  classes,
  DtlsClient,
  keyLength,
  Message,
  methods,
  parseMessage,
  ProtectionProfileAeadAes128Gcm,
  RTCDtlsTransport,
  RtpHeader,
  saltLength,
  SrtpSession,
  type RTCCertificate,
  type Transport,
} from 'werift';

const PROFILE = ProtectionProfileAeadAes128Gcm;
const FIRST_RETRY_MS = 50;
/** Interval of consent checks (RFC 7675, section 5.1). */
const CONSENT_EVERY_MS = 5000;
const SET_UP_LIMIT_MS = 20_000;
const PRIORITY = 0x7e00_00ff;

/**
 * A minimal client side of a service transport: a UDP socket, ICE checks with consent, a DTLS handshake and SRTP. It
 * has no RTCP and uses only the first candidate.
 */
export class SrtpLeg {
  /** Receives each SRTP packet unchanged. Its header is not encrypted. */
  onPacket: (packet: Buffer) => void = () => undefined;
  readonly #remote: TransportParameters;
  readonly #certificate: RTCCertificate;
  readonly #socket: Socket;
  readonly #ufrag = randomBytes(4).toString('hex');
  readonly #checked = Promise.withResolvers<null>();
  #toDtls: (data: Buffer) => void = () => undefined;
  #srtp: SrtpSession | null = null;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(remote: TransportParameters, certificate: RTCCertificate, socket: Socket) {
    this.#remote = remote;
    this.#certificate = certificate;
    this.#socket = socket;
    socket.on('message', (data) => this.#onDatagram(data));
    // Simulates a closed port (ICMP).
    socket.on('error', () => undefined);
  }

  static async open(remote: TransportParameters): Promise<SrtpLeg> {
    const candidate = remote.iceCandidates.find(({ protocol }) => protocol === 'udp');
    if (!candidate) throw new Error('the service offers no UDP candidate');
    const certificate = await RTCDtlsTransport.SetupCertificate();
    const socket = createSocket('udp4');
    socket.connect(candidate.port, candidate.address);
    await once(socket, 'connect');
    return new SrtpLeg(remote, certificate, socket);
  }

  /** DTLS parameters of this side for the service. */
  get dtlsParameters(): DtlsParameters {
    const fingerprints = this.#certificate.getFingerprints().map(({ value }) => ({
      algorithm: 'sha-256' as const,
      value,
    }));
    return { role: 'client', fingerprints };
  }

  /** Resolves when packets can be sent in both directions. */
  async connect(): Promise<void> {
    const limit = setTimeout(
      () => this.#checked.reject(new Error('no response to ICE checks')),
      SET_UP_LIMIT_MS,
    );
    this.#check(FIRST_RETRY_MS);
    await this.#checked.promise;
    clearTimeout(limit);
    await this.#shakeHands();
  }

  send(payload: Uint8Array, header: RtpHeader): void {
    if (!this.#srtp) throw new Error('not connected');
    if (!this.#closed) this.#socket.send(this.#srtp.encrypt(Buffer.from(payload), header));
  }

  /** Decrypts a packet. Throws if the service did not send it. */
  decrypt(packet: Buffer): Buffer {
    if (!this.#srtp) throw new Error('not connected');
    return this.#srtp.decrypt(packet);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket.close();
  }

  #check(againInMs: number): void {
    if (this.#closed) return;
    const { usernameFragment, password } = this.#remote.iceParameters;
    const request = new Message(methods.BINDING, classes.REQUEST)
      .setAttribute('USERNAME', `${usernameFragment}:${this.#ufrag}`)
      .setAttribute('PRIORITY', PRIORITY)
      .setAttribute('ICE-CONTROLLING', 1n)
      .setAttribute('USE-CANDIDATE', null);
    this.#socket.send(request.addMessageIntegrity(Buffer.from(password)).addFingerprint().bytes);
    this.#timer = setTimeout(() => this.#check(Math.min(againInMs * 2, CONSENT_EVERY_MS)), againInMs);
  }

  /** Demultiplexes by the first byte (RFC 7983). */
  #onDatagram(data: Buffer): void {
    const first = data[0] ?? 255;
    if (first >= 128 && first < 192) {
      const isRtcp = ((data[1] ?? 0) & 0x7f) >= 64 && ((data[1] ?? 0) & 0x7f) < 96;
      if (!isRtcp) this.onPacket(data);
    } else if (first < 4) {
      if (parseMessage(data, Buffer.from(this.#remote.iceParameters.password))) this.#onChecked();
    } else {
      this.#toDtls(data);
    }
  }

  #onChecked(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => this.#check(FIRST_RETRY_MS), CONSENT_EVERY_MS);
    this.#checked.resolve(null);
  }

  async #shakeHands(): Promise<void> {
    const { certPem, privateKey, signatureHash } = this.#certificate;
    const socket = this.#socket;
    const address = socket.address();
    const transport: Transport = {
      type: 'udp',
      address,
      closed: false,
      onData: () => undefined,
      send: (data) => {
        if (!this.#closed) socket.send(data);
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    };
    const dtls = new DtlsClient({
      transport,
      cert: certPem,
      key: privateKey,
      signatureHash,
      srtpProfiles: [PROFILE],
      extendedMasterSecret: true,
    });
    const { port, address: host } = socket.remoteAddress();
    this.#toDtls = (data) => transport.onData(data, [host, port]);
    await new Promise<void>((resolve, reject) => {
      dtls.onConnect.once(() => resolve());
      dtls.onError.once(reject);
      dtls.connect().catch(reject);
    });
    this.#verify(dtls.remoteCertificate);
    const { localKey, localSalt, remoteKey, remoteSalt } = dtls.extractSessionKeys(
      keyLength(PROFILE),
      saltLength(PROFILE),
    );
    this.#srtp = new SrtpSession({
      keys: {
        localMasterKey: localKey,
        localMasterSalt: localSalt,
        remoteMasterKey: remoteKey,
        remoteMasterSalt: remoteSalt,
      },
      profile: PROFILE,
    });
  }

  #verify(certificate: Buffer | undefined): void {
    const expected = this.#remote.dtlsParameters.fingerprints.find(
      ({ algorithm }) => algorithm === 'sha-256',
    );
    const actual = createHash('sha256')
      .update(certificate ?? '')
      .digest('hex');
    if (expected?.value.replaceAll(':', '').toLowerCase() !== actual)
      throw new Error('the certificate is not that of the service');
  }
}
