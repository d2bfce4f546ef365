import { decodeALaw, decodeMuLaw, encodeALaw, encodeMuLaw } from '@calls/audio/g711';
import { bytesFromSamples, samplesFromBytes } from '@calls/audio/pcm';
import { ProtocolError, type StreamFormat } from './provider.ts';

export function decodePayload({ encoding }: StreamFormat, payload: Buffer): Int16Array {
  switch (encoding) {
    case 'pcmu':
      return decodeMuLaw(payload);
    case 'pcma':
      return decodeALaw(payload);
    case 'l16':
      if (payload.length % 2 !== 0) throw new ProtocolError('audio ends in the middle of a sample');
      return samplesFromBytes(payload).slice();
  }
}

export function encodePayload({ encoding }: StreamFormat, samples: Int16Array): string {
  switch (encoding) {
    case 'pcmu':
      return Buffer.from(encodeMuLaw(samples)).toString('base64');
    case 'pcma':
      return Buffer.from(encodeALaw(samples)).toString('base64');
    case 'l16':
      return Buffer.from(bytesFromSamples(samples)).toString('base64');
  }
}
