package dev.mobilebert.demo.ui

import androidx.compose.runtime.Composable
import androidx.compose.ui.res.stringResource
import dev.mobilebert.core.Problem
import dev.mobilebert.demo.R

/** Says what went wrong in the user's language. */
@Composable
fun describe(problem: Problem): String = when (problem) {
    Problem.NoModel -> stringResource(R.string.no_model)
    Problem.UnreadableModel -> stringResource(R.string.model_unreadable)
    Problem.NoRuntime -> stringResource(R.string.no_runtime)
    is Problem.WrongKind -> stringResource(R.string.wrong_kind, problem.kind, problem.needed)
    is Problem.UnusableModel -> stringResource(R.string.model_unusable, problem.detail)
    is Problem.QuestionTooLong -> stringResource(R.string.question_too_long, problem.length)
    Problem.NoText -> stringResource(R.string.no_text)
    Problem.NotEnoughMemory -> stringResource(R.string.not_enough_memory)
    is Problem.Unexpected -> stringResource(R.string.unexpected, problem.detail)
}
