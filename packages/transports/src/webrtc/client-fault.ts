/** Whether mediasoup rejected a client's request as invalid, rather than failing. */
export function isClientFault({ name }: Error): boolean {
  return name === 'TypeError' || name === 'UnsupportedError';
}
