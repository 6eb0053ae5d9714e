// What a source file imports, and which of the things it calls depend on time, chance or the environment. Type-only
// imports count: a room that knows another room's types knows that room.
import { parseSync } from 'vite'

export type Import = { specifier: string; typeOnly: boolean }
export type SourceFacts = { imports: Import[]; ambient: string[] }

/** Reads of the outside world that pure rooms get as arguments instead. */
const AMBIENT = new Set(['Date.now', 'Math.random', 'process.env'])

type Node = { type: string; [key: string]: unknown }

export function readSource(path: string, source: string): SourceFacts {
  const { program, errors } = parseSync(path, source)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`)
  const facts: SourceFacts = { imports: [], ambient: [] }
  visit(program, facts)
  return facts
}

function visit(value: unknown, facts: SourceFacts): void {
  if (Array.isArray(value)) {
    for (const entry of value) visit(entry, facts)
  } else if (isNode(value)) {
    note(value, facts)
    for (const child of Object.values(value)) visit(child, facts)
  }
}

function note(node: Node, facts: SourceFacts): void {
  const specifier = literal(node.source)
  switch (node.type) {
    case 'ImportDeclaration':
      if (specifier !== null) facts.imports.push({ specifier, typeOnly: isTypeOnly(node, 'importKind') })
      return
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      if (specifier !== null) facts.imports.push({ specifier, typeOnly: isTypeOnly(node, 'exportKind') })
      return
    case 'ImportExpression':
      if (specifier !== null) facts.imports.push({ specifier, typeOnly: false })
      return
    case 'TSImportType':
      if (specifier !== null) facts.imports.push({ specifier, typeOnly: true })
      return
    case 'MemberExpression': {
      const name = `${identifier(node.object)}.${identifier(node.property)}`
      if (AMBIENT.has(name)) facts.ambient.push(name)
      return
    }
    case 'NewExpression':
      if (identifier(node.callee) === 'Date' && Array.isArray(node.arguments) && node.arguments.length === 0)
        facts.ambient.push('new Date()')
  }
}

/** `import type …`, or every name in the braces marked as a type. */
function isTypeOnly(node: Node, kind: 'importKind' | 'exportKind'): boolean {
  if (node[kind] === 'type') return true
  const names = Array.isArray(node.specifiers) ? node.specifiers.filter(isNode) : []
  return names.length > 0 && names.every((name) => name[kind] === 'type')
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
const literal = (value: unknown): string | null =>
  isNode(value) && value.type === 'Literal' && typeof value.value === 'string' ? value.value : null
const identifier = (value: unknown): string | null =>
  isNode(value) && value.type === 'Identifier' && typeof value.name === 'string' ? value.name : null
