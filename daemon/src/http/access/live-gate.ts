import type { OriginRule } from '@sandbox/api/http/hosts.ts';
import type { AccessTerms } from '../../core/access/late-binding.ts';
import { type AccessDecision, type AccessRequest, Gate, type GateOptions } from './gate.ts';

/** What decides about access. */
export interface AccessGate extends Pick<Gate, 'judge' | 'origins' | 'frameRule' | 'credentialFields'> {
  /** Whether the path of a target needs no key. */
  readonly isPublic: (target: string) => boolean;
  /** False while the service is closed to every credential. */
  readonly takesCredentials: boolean;
  /** Withdraws the cookies of a `Cookie` header. @returns how many */
  readonly signOut: Gate['signOut'];
  /** Ids of the keys that are valid: the same array as long as they are the same. */
  readonly keyIds: readonly string[];
}

export interface LiveGateOptions extends Omit<GateOptions, 'apiKey' | 'allowedOrigins'> {
  /** Who gets in, as of now: the same object as long as nothing changed. */
  readonly access: () => AccessTerms;
}

/** The gate of the key and the origins that are valid at the moment of a request. */
export class LiveGate implements AccessGate {
  readonly #options: LiveGateOptions;
  readonly #publicPaths: ReadonlySet<string>;
  #terms: AccessTerms;
  #gate: Gate;

  constructor(options: LiveGateOptions) {
    this.#options = options;
    this.#publicPaths = new Set(options.publicPaths);
    this.#terms = options.access();
    this.#gate = new Gate({ ...options, ...this.#terms });
  }

  get origins(): OriginRule {
    return this.#current().origins;
  }

  get frameRule(): string {
    return this.#current().frameRule;
  }

  get takesCredentials(): boolean {
    this.#current();
    return this.#terms.locked === undefined;
  }

  judge(request: AccessRequest): AccessDecision {
    const gate = this.#current();
    const { locked } = this.#terms;
    if (locked === undefined) return gate.judge(request);
    return this.isPublic(request.target) ? { admitted: true } : CLOSED[locked];
  }

  isPublic(target: string): boolean {
    const [path = ''] = target.split('?', 1);
    return this.#publicPaths.has(path);
  }

  credentialFields(...given: Parameters<Gate['credentialFields']>): string[] {
    return this.#current().credentialFields(...given);
  }

  signOut(...given: Parameters<Gate['signOut']>): number {
    return this.#current().signOut(...given);
  }

  get keyIds(): readonly string[] {
    const gate = this.#current();
    return this.#terms.locked === undefined ? gate.keyIds : NONE;
  }

  #current(): Gate {
    const terms = this.#options.access();
    if (terms === this.#terms) return this.#gate;
    const gate = new Gate({ ...this.#options, ...terms });
    // A ticket was issued to a holder of the former key.
    this.#options.tickets.keepOf(({ ids }) => ids.some((id) => gate.keyIds.includes(id)));
    this.#terms = terms;
    this.#gate = gate;
    return this.#gate;
  }
}

const NONE: readonly string[] = [];

const CLOSED: Readonly<Record<NonNullable<AccessTerms['locked']>, AccessDecision>> = {
  unclaimed: {
    admitted: false,
    kind: 'unauthorized',
    message: 'the sandbox waits for its claim',
    hint: 'claim it with the token of SVC_CLAIM_TOKEN_FILE, or a statement signed for SVC_CLAIM_PUBLIC_KEY_FILE',
  },
  no_key: {
    admitted: false,
    kind: 'unauthorized',
    message: 'the service is closed: the file with its key cannot be read',
    hint: 'restore the file of SVC_API_KEY_FILE; sandboxd doctor and the log say what is wrong with it',
  },
};
