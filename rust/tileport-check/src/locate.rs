// SPDX-License-Identifier: Apache-2.0
//! Finds the statement behind a failure that the compiler reports without a place (a panic, an attribute
//! that only the bytecode writer misses).
//!
//! A prefix of a body is a body too, so the shortest one that still fails ends with the statement at fault:
//! a binary search over its length, and again inside that statement if it is a loop or a branch.

use crate::diagnostic::Place;
use crate::source::{place_of, with_entries};
use cutile::cutile_compiler::ast::syn;
use syn::{Block, Expr, Item, ItemMod, Stmt};

/// The place of the statement of the entry `name` that makes `fails` true of the module. `fails` is asked
/// about copies of `module` with other bodies of this entry and without the other entries.
pub(crate) fn statement_at_fault(
    module: &ItemMod,
    name: &str,
    fails: impl Fn(ItemMod) -> bool,
) -> Option<Place> {
    let mut module = with_entries(module, |entry| entry == name);
    let mut path = Vec::new();
    let mut place = None;
    loop {
        let length = block_at(&mut module, name, &path)?.stmts.len();
        let fails_within = |length: usize| {
            let mut shortened = module.clone();
            block_at(&mut shortened, name, &path).is_some_and(|block| {
                block.stmts.truncate(length);
                true
            }) && fails(shortened)
        };
        // The whole fails, or there would be nothing to locate; an empty body that fails too has no
        // statement at fault.
        let (mut passing, mut failing) = (0, length);
        if length == 0 || fails_within(0) {
            return place;
        }
        while failing - passing > 1 {
            let middle = passing + (failing - passing) / 2;
            if fails_within(middle) { failing = middle } else { passing = middle }
        }
        let block = block_at(&mut module, name, &path)?;
        block.stmts.truncate(failing);
        let statement = block.stmts.last_mut()?;
        place = Some(place_of(statement));
        let branches = nested_blocks(statement).len();
        path.push((failing - 1, 0));
        // Of several branches, the one that must be there for the failure; the others are emptied.
        let needed = (0..branches).find(|&branch| {
            let mut alone = module.clone();
            empty_other_branches(&mut alone, name, &path, branch) && fails(alone)
        });
        match needed {
            Some(branch) => {
                empty_other_branches(&mut module, name, &path, branch);
                path.last_mut()?.1 = branch;
            }
            None => return place,
        }
    }
}

/// The block that is reached from the body of the entry by going, for each step, into the statement with
/// that index and its nested block with that number.
fn block_at<'m>(module: &'m mut ItemMod, name: &str, path: &[(usize, usize)]) -> Option<&'m mut Block> {
    let (_, items) = module.content.as_mut()?;
    let function = items.iter_mut().find_map(|item| match item {
        Item::Fn(function) if function.sig.ident == name => Some(function),
        _ => None,
    })?;
    path.iter().try_fold(&mut *function.block, |block, &(statement, branch)| {
        nested_blocks(block.stmts.get_mut(statement)?).into_iter().nth(branch)
    })
}

fn empty_other_branches(module: &mut ItemMod, name: &str, path: &[(usize, usize)], kept: usize) -> bool {
    let Some((&(statement, _), outer)) = path.split_last() else { return false };
    let Some(statement) = block_at(module, name, outer).and_then(|b| b.stmts.get_mut(statement)) else {
        return false;
    };
    for (branch, block) in nested_blocks(statement).into_iter().enumerate() {
        if branch != kept {
            block.stmts.clear();
        }
    }
    true
}

/// The blocks of a loop, a branch or a plain block that stands as a statement. Blocks whose value is used
/// are left alone: without their last expression they would fail for another reason.
fn nested_blocks(statement: &mut Stmt) -> Vec<&mut Block> {
    match statement {
        Stmt::Expr(expression, _) => nested_blocks_of(expression),
        _ => Vec::new(),
    }
}

fn nested_blocks_of(expression: &mut Expr) -> Vec<&mut Block> {
    match expression {
        Expr::ForLoop(e) => vec![&mut e.body],
        Expr::While(e) => vec![&mut e.body],
        Expr::Loop(e) => vec![&mut e.body],
        Expr::Unsafe(e) => vec![&mut e.block],
        Expr::Block(e) => vec![&mut e.block],
        Expr::If(e) => {
            let mut blocks = vec![&mut e.then_branch];
            if let Some((_, other)) = &mut e.else_branch {
                blocks.extend(nested_blocks_of(other));
            }
            blocks
        }
        _ => Vec::new(),
    }
}
