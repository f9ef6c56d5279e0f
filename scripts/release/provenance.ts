/** A file with its digest, as in-toto names it. */
export interface Subject {
  readonly name: string;
  readonly digest: { readonly sha256: string };
}

interface Origin {
  readonly version: string;
  readonly revision: string;
  /** Time of the revision, since 1970. */
  readonly seconds: number;
  readonly node: string;
  readonly images: boolean;
}

/** A statement of in-toto (v1) with a predicate of SLSA provenance (v1), without a signature. */
export function provenanceOf(
  subject: readonly Subject[],
  { version, revision, seconds, node, images }: Origin,
): object {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'npm run release',
        externalParameters: { version, images },
        internalParameters: { node },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: revision } },
          { name: 'package-lock.json', annotations: { content: 'with the digest of each package' } },
        ],
      },
      runDetails: {
        builder: { id: 'a checkout' },
        metadata: { startedOn: new Date(seconds * 1000).toISOString() },
      },
    },
  };
}
