declare module '@20minutes/s3rver' {
  export default class S3rver {
    constructor(options: {
      address: string;
      port: number;
      directory: string;
      silent: boolean;
      vhostBuckets: boolean;
      configureBuckets: readonly { name: string }[];
    });
    run(): Promise<{ port: number }>;
  }
}

declare module '@20minutes/s3rver/lib/signature/v4.js' {
  const v4: { getStringToSign(canonical: { uri: string }, request: object): string };
  export default v4;
}
