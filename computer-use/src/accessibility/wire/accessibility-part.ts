import { counted } from '@sandbox/api/counted.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { ACCESSIBILITY, ACCESSIBILITY_NODES } from '@sandbox/api/http/computer/accessibility.ts';
import { ok } from '@sandbox/api/http/envelope.ts';
import { located } from '@sandbox/api/http/validation.ts';
import type { z } from 'zod';
import type { NodeActions, PartState, WorkerPart } from '../../part.ts';
import type { AccessibilityService, TreeRequest } from '../accessibility-service.ts';
import type { AccessibleNode } from '../node.ts';

type TreeQuery = z.output<typeof ACCESSIBILITY.schema.querystring>;

/** Serves the tree and the query, and carries out actions on nodes. */
export class AccessibilityPart implements WorkerPart, NodeActions {
  readonly name = 'accessibility';
  readonly #service: AccessibilityService;

  constructor(service: AccessibilityService) {
    this.#service = service;
  }

  async state(): Promise<PartState> {
    if (await this.#service.isAvailable()) return { available: true };
    return { available: false, warning: 'accessibility is unavailable: no D-Bus session bus is running' };
  }

  mount(app: App): void {
    app.route({
      ...ACCESSIBILITY,
      handler: async ({ query }) => {
        const { root, nodeCount, isTruncated, silent } = await this.#service.tree(requestOf(query));
        const data = {
          root: root ? treeOf(root) : null,
          node_count: nodeCount,
          truncated: isTruncated,
          silent: [...silent],
        };
        return ok(data, counted(nodeCount, 'node'));
      },
    });
    app.route({
      ...ACCESSIBILITY_NODES,
      handler: async ({ query }) => {
        const { role, name, match, states, limit } = query;
        const wanted = { ...requestOf(query), role, name, match, states, limit };
        const found = await located(this.#service.find(wanted), 'querystring');
        const nodes = found.nodes.map(factsOf);
        return ok({ nodes, truncated: found.isTruncated, silent: [...found.silent] }, counted(nodes.length, 'node'));
      },
    });
  }

  async focus(nodeId: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#service.nodes.focus(nodeId);
  }

  async invoke(nodeId: string, action: string | undefined, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#service.nodes.invoke(nodeId, action);
  }

  async setValue(nodeId: string, value: string | number, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    return await this.#service.nodes.setValue(nodeId, String(value));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service[Symbol.asyncDispose]();
  }
}

function requestOf(query: TreeQuery): TreeRequest {
  return {
    scope: query.scope,
    nodeId: query.node_id,
    includeOffscreen: query.include_offscreen,
    maxDepth: query.max_depth,
    maxNodes: query.max_nodes,
    timeoutMs: query.timeout_ms,
  };
}

function factsOf({ id, role, name, description, states, bounds, value }: AccessibleNode) {
  return { node_id: id, role, name, description, states: [...states], bounds: bounds ?? null, value: value ?? null };
}

/** At most 64 levels deep. */
function treeOf(node: AccessibleNode): ReturnType<typeof factsOf> & { children: object[] } {
  return { ...factsOf(node), children: node.children.map(treeOf) };
}
