/**
 * No text outside of the catalogues: every component is parsed, and letters that a person would read or hear are
 * refused wherever they stand in the markup.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

/** Attributes whose values are not read by people. Any other one must come from a catalogue. */
const technical: ReadonlySet<string> = new Set([
  'align',
  'aria-autocomplete',
  'aria-controls',
  'aria-current',
  'aria-describedby',
  'aria-expanded',
  'aria-haspopup',
  'aria-hidden',
  'aria-labelledby',
  'aria-live',
  'aria-multiselectable',
  'aria-relevant',
  'autoComplete',
  'all',
  'className',
  'd',
  'describedBy',
  'dir',
  'focusable',
  'height',
  'icon',
  'id',
  'inputMode',
  'key',
  'kind',
  'name',
  'preserveAspectRatio',
  'role',
  'scope',
  'some',
  'tone',
  'type',
  'viewBox',
  'width',
  'wrap',
])
/** Components and elements whose `name` is a key, not a text: icons, facts, form fields. */
const nameIsKey: ReadonlySet<string> = new Set(['Icon', 'Fact', 'input'])

const hasLetters = (text: string): boolean => /\p{L}/u.test(text)

/** Strings that an expression may become, as far as they are written in it. */
function literalsIn(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (ts.isTemplateExpression(node)) {
    return [node.head.text, ...node.templateSpans.map((span) => span.literal.text)]
  }
  if (ts.isConditionalExpression(node)) return [...literalsIn(node.whenTrue), ...literalsIn(node.whenFalse)]
  if (ts.isParenthesizedExpression(node)) return literalsIn(node.expression)
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken
    // what is compared, or asked before `&&`, is never shown
    if (kind === ts.SyntaxKind.AmpersandAmpersandToken) return literalsIn(node.right)
    const joins = [ts.SyntaxKind.PlusToken, ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken]
    return joins.includes(kind) ? [...literalsIn(node.left), ...literalsIn(node.right)] : []
  }
  return []
}

function attributeTexts(attribute: ts.JsxAttribute, file: ts.SourceFile): string[] {
  const { initializer } = attribute
  const name = attribute.name.getText(file)
  const element = attribute.parent.parent.tagName.getText(file)
  if (initializer === undefined || name.startsWith('data-')) return []
  if (name === 'name' && !nameIsKey.has(element)) {
    // falls through: the accessible name of one of our parts
  } else if (technical.has(name)) return []
  if (ts.isStringLiteral(initializer)) return [initializer.text]
  if (!ts.isJsxExpression(initializer) || initializer.expression === undefined) return []
  // `value` and `segments` hold choices that code compares, not texts
  return name === 'value' ? [] : literalsIn(initializer.expression)
}

/** Every text in the markup of a component, with its line. */
export function looseTexts(source: string): string[] {
  const file = ts.createSourceFile('component.tsx', source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX)
  const found: string[] = []
  const report = (node: ts.Node, texts: readonly string[]): void => {
    const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1
    for (const text of texts) if (hasLetters(text)) found.push(`${String(line)}: ${text.trim()}`)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) report(node, [node.text])
    if (ts.isJsxAttribute(node)) report(node, attributeTexts(node, file))
    const isChild =
      ts.isJsxExpression(node) && (ts.isJsxElement(node.parent) || ts.isJsxFragment(node.parent))
    if (isChild && node.expression !== undefined) report(node, literalsIn(node.expression))
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

const root = path.join(import.meta.dirname, '..')
const components = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.tsx'),
)

describe('texts of the window', () => {
  test('there are components to look at', () => {
    expect(components.length).toBeGreaterThan(30)
  })

  test.each(components)('%s has no text of its own', (name) => {
    expect(looseTexts(readFileSync(path.join(root, name), 'utf8'))).toEqual([])
  })

  test.each([
    ['const a = <p>Hello</p>', 'Hello'],
    ['const a = <button aria-label="Close" />', 'Close'],
    ['const a = <p title={`${n} files`} />', 'files'],
    ["const a = <p>{isOn ? 'On' : words.t('off')}</p>", 'On'],
    ['const a = <Stepper name="Tasks" />', 'Tasks'],
  ])('a loose text is found: %s', (source, text) => {
    expect(looseTexts(source)).toEqual([`1: ${text}`])
  })
})
