import type { ByteName } from '../../../core/files/byte-name.ts';
import type { InotifyListener } from '../../../core/process/keeper/inotify-reader.ts';

/** Receives the events of the directories of a tree. */
export interface TreeEvents {
  readonly happened: (node: DirectoryNode, mask: number, cookie: number, name: ByteName) => void;
}

/**
 * A watched directory. It has its parent instead of its path, so that renaming a directory renames everything below it
 * without another step.
 */
export class DirectoryNode implements InotifyListener {
  name: ByteName;
  parent: DirectoryNode | undefined;
  children: Map<ByteName, DirectoryNode> | undefined;
  /** The kernel's number of the watch; undefined while it is not watched. */
  watch: number | undefined;
  /** Names of entries for which a creation was reported recently. */
  announced: Set<ByteName> | undefined;
  readonly #tree: TreeEvents;

  constructor(tree: TreeEvents, name: ByteName, parent?: DirectoryNode) {
    this.#tree = tree;
    this.name = name;
    this.parent = parent;
  }

  /** Relative to the root of the tree, which is empty. */
  get path(): ByteName {
    if (this.parent === undefined) return '';
    return this.parent.pathOf(this.name);
  }

  pathOf(name: ByteName): ByteName {
    const path = this.path;
    return path === '' ? name : `${path}/${name}`;
  }

  addChild(name: ByteName): DirectoryNode {
    const node = new DirectoryNode(this.#tree, name, this);
    this.#take(node);
    return node;
  }

  moveTo(parent: DirectoryNode, name: ByteName): void {
    this.unlink();
    this.name = name;
    this.parent = parent;
    parent.#take(this);
  }

  /** Removes it from its tree, with the directories below it. */
  unlink(): void {
    const siblings = this.parent?.children;
    if (siblings?.get(this.name) === this) siblings.delete(this.name);
    this.parent = undefined;
  }

  isIn(root: DirectoryNode): boolean {
    let node: DirectoryNode | undefined = this;
    while (node !== undefined && node !== root) node = node.parent;
    return node === root;
  }

  /** This directory and all below it. */
  *all(): Iterable<DirectoryNode> {
    const stack: DirectoryNode[] = [this];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      yield node;
      if (node.children) stack.push(...node.children.values());
    }
  }

  onInotify(mask: number, cookie: number, name: ByteName): void {
    this.#tree.happened(this, mask, cookie, name);
  }

  #take(node: DirectoryNode): void {
    this.children ??= new Map();
    this.children.set(node.name, node);
  }
}
