/** Whether mediasoup refused what a client asked for, in contrast to failing at it. */
export function isClientFault({ name }: Error): boolean {
  return name === 'TypeError' || name === 'UnsupportedError';
}
