package dev.mobilebert.demo.ui

import android.content.Intent
import android.speech.RecognizerIntent
import androidx.activity.compose.rememberLauncherForActivityResult
import androidx.activity.result.contract.ActivityResultContracts.StartActivityForResult
import androidx.compose.material3.Icon
import androidx.compose.material3.IconButton
import androidx.compose.runtime.Composable
import androidx.compose.runtime.remember
import androidx.compose.ui.platform.LocalContext
import androidx.compose.ui.res.painterResource
import androidx.compose.ui.res.stringResource
import dev.mobilebert.demo.R

/**
 * Takes a text by speech, where the phone has an app for it. That app listens, so this one needs no
 * permission.
 */
@Composable
fun SpeechButton(onText: (String) -> Unit) {
    val intent = remember {
        Intent(RecognizerIntent.ACTION_RECOGNIZE_SPEECH).putExtra(
            RecognizerIntent.EXTRA_LANGUAGE_MODEL, RecognizerIntent.LANGUAGE_MODEL_FREE_FORM)
    }
    val context = LocalContext.current
    val canListen = remember { intent.resolveActivity(context.packageManager) != null }
    if (!canListen) return
    val launcher = rememberLauncherForActivityResult(StartActivityForResult()) { result ->
        result.data?.getStringArrayListExtra(RecognizerIntent.EXTRA_RESULTS)?.firstOrNull()
            ?.let(onText)
    }
    IconButton({ launcher.launch(intent) }) {
        Icon(painterResource(R.drawable.microphone), stringResource(R.string.speak))
    }
}
